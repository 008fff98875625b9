"""Op declarations, and the public functions, classes and methods made from their lines."""
