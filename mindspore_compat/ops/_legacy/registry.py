"""`tensor_operator_registry`: the functions behind Tensor's methods, by name, for older scripts."""

from collections import UserDict

from ..._core.declare.public_api import build, public
from ..._core.rules.vocabulary import Str
from ..primitive import Primitive


class Registry(UserDict):
    """Maps names to functions; an unregistered name is looked up in `ops`."""

    def register(self, obj_str, obj):
        """Registers a function under a name.

        Raises:
            TypeError: if the name is not a str.
        """
        Str.refuse("register", "obj_str", obj_str)
        self[obj_str] = obj

    def get(self, obj_str):
        """Returns the function of a name.

        Raises:
            ValueError: if there is no function of this name.
        """
        result = self.data.get(obj_str) or build("ops", obj_str, Primitive)
        if result is None:
            raise ValueError(
                f"For 'get', 'obj_str' must be the name of a function, but got {obj_str!r}."
            )
        return result


tensor_operator_registry = public("ops.tensor_operator_registry")(Registry())
