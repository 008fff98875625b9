"""`mindspore.rewrite`: a network's forward computation as statements that can be changed.

`SymbolTree.create` reads the source of a Cell's `construct` and expands it into simple statements,
the nodes. They can be inserted, erased and replaced; the result is written as source code
(`get_code`) or run (`get_network`).

`PatternEngine` replaces all nodes that match a pattern.

The public classes are in `api`; `common` has settings that libraries change. The other files each
do one step: `sources` finds the syntax tree of a method, `flattening` expands statements, `parsing`
converts them to Statements, `statements` and `trees` hold and change those, `generating` writes
source and builds the network.
"""

from .api.node import Node
from .api.node_type import NodeType
from .api.pattern_engine import PatternEngine, PatternNode, Replacement
from .api.scoped_value import ScopedValue, ValueType
from .api.symbol_tree import SymbolTree
from .common import namespace as namespace

__all__ = [
    "Node",
    "NodeType",
    "PatternEngine",
    "PatternNode",
    "Replacement",
    "ScopedValue",
    "SymbolTree",
    "ValueType",
]
