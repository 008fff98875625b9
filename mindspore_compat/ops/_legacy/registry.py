"""`tensor_operator_registry`: the functions behind Tensor's methods by name, for older scripts."""

from collections import UserDict

from ..._core.declare.public_api import build, public
from ..primitive import Primitive


class Registry(UserDict):
    """Functions by name; a name that nobody registered is that of `ops`."""

    def register(self, obj_str, obj):
        """Puts a function under a name.

        Raises:
            TypeError: the name is no str.
        """
        if not isinstance(obj_str, str):
            raise TypeError(f"For 'register', 'obj_str' must be a str, but got {obj_str!r}.")
        self[obj_str] = obj

    def get(self, obj_str):
        """The function of a name.

        Raises:
            ValueError: there is none.
        """
        found = self.data.get(obj_str) or build("ops", obj_str, Primitive)
        if found is None:
            raise ValueError(
                f"For 'get', 'obj_str' must be the name of a function, but got {obj_str!r}."
            )
        return found


tensor_operator_registry = public("ops.tensor_operator_registry")(Registry())
