"""`mindspore.rewrite`: a network's forward computation as statements that can be changed.

`SymbolTree.create` reads the source of a Cell's `construct` and expands it into simple statements,
the nodes. They can be inserted, erased and replaced; what is left is written out as source again
(`get_code`) and run (`get_network`).

The public classes are in `api`. Below them a file does one step each: `sources` finds the syntax
tree of a method, `flattening` expands statements, `parsing` makes Statements of them, `statements`
and `trees` hold and change those, `generating` writes source and makes the network.
"""

from .api.node import Node
from .api.node_type import NodeType
from .api.scoped_value import ScopedValue, ValueType
from .api.symbol_tree import SymbolTree

__all__ = ["Node", "NodeType", "ScopedValue", "SymbolTree", "ValueType"]
