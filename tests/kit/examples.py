"""Compares the output of examples with the documented output."""

import doctest
import math
import re

NUMBER = re.compile(r"[-+]?(?:\d+\.?\d*|\.\d+)(?:[eE][-+]?\d+)?|nan|inf")


def is_whole(number):
    """Returns whether a number is printed without a decimal point and without an exponent."""
    return number.lstrip("+-").isdigit()


class NearNumbers(doctest.OutputChecker):
    """Accepts numbers that differ only in their last digits, as on other processors."""

    def check_output(self, want, got, flags):
        return super().check_output(want, got, flags) or self.near(want, got)

    def near(self, want, got):
        """Returns whether texts are equal except for spaces and the last digits of fractions."""
        texts = [re.sub(r"\s+", "", NUMBER.sub("0", text)) for text in (want, got)]
        pairs = zip(NUMBER.findall(want), NUMBER.findall(got))
        return texts[0] == texts[1] and all(
            one == other
            or not (is_whole(one) or is_whole(other))
            and math.isclose(float(one), float(other), rel_tol=1e-5, abs_tol=1e-6)
            for one, other in pairs
        )
