"""Names that older releases had, and scripts still import."""
