"""Small functions and objects of the original's Python code that scripts import."""
