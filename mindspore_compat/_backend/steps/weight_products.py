"""Joins the gradients of a weight that a step uses many times into fewer, larger matrix products.

Each use of a weight adds g.T @ x to the weight's gradient. The plan of a recorded step
(recording.py) lists all uses. `Joins` rewrites it, so that the sum of these products is one product
of the concatenated rows of all g and all x.

Worked example, of the lines of a plan:

    s3 = c1(HOST, s1, s2)            s3 = c1(DEFERRING, s1, s2)      # a Product
    s6 = c1(HOST, s4, s5)            s6 = c1(DEFERRING, s4, s5)
    s7 = add(s3, s6)
    s9 = c1(HOST, s8, s2)            s9 = c1(DEFERRING, s8, s2)
    s10 = add(s7, s9)                s10 = sum_of((s3, s6, s9, ), None)

The operands of a product live until it is computed. Where they would need many times the memory of
the weight, there are several sums.
"""

import collections
import re

import numpy

from ..arrays import HOST
from ..thresholds import Least, Most

SLOTS = re.compile(r"\b[sx]\d+\b")


class Product:
    """A deferred product g.T @ x: the gradient of a weight from one of its uses.

    Args:
        g: (rows, outputs), the gradient of a result.
        x: (rows, inputs), the input that the weight was multiplied by.
    """

    __slots__ = ("g", "x")

    def __init__(self, g, x):
        self.g, self.x = g, x

    def compute(self):
        """Returns the gradient (outputs, inputs)."""
        return weight_product(HOST, self.g, self.x)


class _Deferring:
    """The host's functions, except that `weight_product` returns a Product for them."""

    def __getattr__(self, name):
        return getattr(HOST, name)


DEFERRING = _Deferring()


def weight_product(xp, g, x):
    """Returns g.T @ x, the gradient of a weight from one of its uses. If `xp` is DEFERRING, returns
    it as a Product, which is not computed yet."""
    return Product(g, x) if xp is DEFERRING else xp.matmul(xp.swapaxes(g, 0, 1), x)


def sum_of(products, total):
    """Returns the sum of Products as an array. If `total` is an array, adds the sum to it in place
    and returns it."""
    g = numpy.concatenate([product.g for product in products])
    x = numpy.concatenate([product.x for product in products])
    product = weight_product(HOST, g, x)
    if total is None:
        return product
    total += product
    return total


class Joins:
    """Collects the weight products and their sums among the calls of a recorded step, and rewrites
    the lines of the plan. Each StepRecorder has one."""

    def __init__(self):
        self._products = {}  # slot -> (number of its line, what joined products share, rows)
        self._sums = {}  # slot -> (number of its line, left slot, right slot, writes)

    def note_product(self, slot, number, product, writes):
        """Records that line `number` of the plan assigns a Product to a slot.

        Args:
            writes (int): the number of in-place writes so far; only products with the same number
                are joined.
        """
        g, x = product.g, product.x
        shared = g.shape[1], x.shape[1], g.dtype, x.dtype, writes
        self._products[slot] = number, shared, len(g)

    def note_sum(self, slot, number, left, right, writes):
        """Records that line `number` of the plan assigns the sum of two slots to a slot."""
        self._sums[slot] = number, left, right, writes

    def apply(self, lines, results, constant):
        """Returns the lines of a plan in which joined products replace the additions of single
        products. A removed line becomes "".

        Args:
            lines (list): the lines.
            results (str): the expression of the plan's results, which follows the lines.
            constant (Callable): gives the name of an object in the plan.
        """
        lines, products = list(lines), set()
        uses = collections.Counter(SLOTS.findall("\n".join([*lines, results])))
        for root, chain in self._chains(uses).items():
            (outputs, inputs, *_), size = self._products[chain[0][0]][1], 0
            work = sum(self._products[slot][2] for slot, _ in chain) * outputs * inputs
            if len(chain) < Least.JOINED_PRODUCTS or work < Least.JOINED_WORK:
                continue
            group, total, last = [], None, chain[-1][0]
            for slot, number in chain:
                group.append(slot)
                size += self._products[slot][2] * (outputs + inputs)
                text = ""
                most = Most.JOINED_OPERANDS * outputs * inputs
                if slot == last or number is not None and size >= most:
                    text = f"{root} = {constant(sum_of)}(({', '.join(group)}, ), {total})"
                    group, total, size = [], root, 0
                if number is not None:
                    lines[number] = text
            products.update(slot for slot, _ in chain)
        self._defer(lines, products, constant)
        return lines

    def _chains(self, uses):
        """Returns the sums of products in which no other line uses the products.

        Returns:
            dict: the slot of each sum -> a list of pairs: the slot of a product, and the number of
            the line that adds it (None for the first product).
        """
        chains = {}
        for slot, (number, left, right, writes) in self._sums.items():
            first = chains[left][0][0] if left in chains else left
            shared = [self._products[term][1] for term in (first, right) if term in self._products]
            if (
                len(shared) == 2
                and shared[0] == shared[1]
                and shared[0][-1] == writes
                and uses[left] == uses[right] == 2
            ):
                chains[slot] = [*chains.pop(left, [(left, None)]), (right, number)]
        return chains

    def _defer(self, lines, products, constant):
        """Rewrites the lines that assign joined `products`: each line calls its vjp with DEFERRING,
        and then computes the Products that are not joined.
        """
        line_numbers = {self._products[slot][0] for slot in products}
        for number in line_numbers:
            before, after = f"({constant(HOST)}, ", f"({constant(DEFERRING)}, "
            lines[number] = lines[number].replace(before, after, 1)
        for slot, (number, *_) in self._products.items():
            if number in line_numbers and slot not in products:
                lines[number] += f"; {slot} = {slot}.compute()"
