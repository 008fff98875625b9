"""Primitives that MindSpore exposes under internal paths, such as `ops.auto_generate.AcosExt`.

What says again what a public function says is a line of the table in names.py, which alias.py makes
a class of. Primitives with arithmetic of their own stand with their subject: in `internal.py` of a
package of `ops` those that are made of public functions, loaded when an internal path is, and in
`gradients.py` the operators that are given what another operator found (masks, statistics).
"""
