"""Small functions and objects of the original's Python layer that scripts import."""
