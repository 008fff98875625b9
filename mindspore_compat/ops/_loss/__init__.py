"""Loss functions: regression, classification, margins, CTC, RNN-T; and candidate samplers."""
