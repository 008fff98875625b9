"""Recurrent networks: RNN, LSTM and GRU, by sequence and by step."""
