"""Small functions and objects of MindSpore's Python code that scripts import."""
