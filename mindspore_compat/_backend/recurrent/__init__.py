"""Recurrent layers (RNN, LSTM, GRU) in compiled loops, all steps in one call."""
