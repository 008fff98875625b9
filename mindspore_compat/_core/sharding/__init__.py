"""Arrays that are divided over the ranks of a mesh: placements, exchanges, the rules of `xp`."""

from . import ring, rules_elementwise, rules_indexing, rules_products, rules_shapes  # noqa: F401 - rules
