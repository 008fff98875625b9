"""Primitives that MindSpore exposes under internal paths, such as `ops.auto_generate.AcosExt`.

A Primitive that duplicates a public function is one line of the table in names.py, from which
alias.py makes a class. Other Primitives are declared in the package of their subject: in
`internal.py` if they are composed of public functions (loaded with the first internal path), in
`gradients.py` if they take intermediate results of another operator (masks, statistics).
"""
