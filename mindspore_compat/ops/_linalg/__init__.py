"""Linear algebra: matrix products, decompositions, solvers, covariances."""
