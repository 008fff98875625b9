"""Names of older releases that scripts still import."""
