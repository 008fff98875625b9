"""Products of matrices, decompositions, solvers, covariances."""
