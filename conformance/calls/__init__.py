"""Documented, valid, invalid, odd and stored calls, as argument texts."""
