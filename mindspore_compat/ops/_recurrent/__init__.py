"""Recurrent networks: RNN, LSTM and GRU, over a sequence or one step at a time."""
