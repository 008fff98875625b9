"""`mindspore.scipy.optimize`: minima of functions, line searches and assignments."""

from .assignment import linear_sum_assignment
from .line_search import line_search
from .minimize import minimize

__all__ = ["line_search", "linear_sum_assignment", "minimize"]
