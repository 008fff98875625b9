"""Recurrent networks in compiled loops, all steps in one call."""
