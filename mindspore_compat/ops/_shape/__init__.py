"""Creation, reshaping, slicing, stacking, padding and diagonals."""
