"""Scripts convert arrays of one element to numbers, which the newest NumPy refuses."""

import configparser
import pathlib

import numpy as np
import pytest
from packaging.requirements import Requirement

from mindspore_compat import Tensor

SETTINGS = pathlib.Path(__file__).parents[2] / "setup.cfg"


def required_numpy():
    """Returns the releases of NumPy that the package requires."""
    settings = configparser.ConfigParser()
    settings.read(SETTINGS, "utf-8")
    lines = settings["options"]["install_requires"].split()
    requirements = [Requirement(line) for line in lines]
    return next(each.specifier for each in requirements if each.name == "numpy")


@pytest.mark.skipif(
    not required_numpy().contains(np.__version__), reason="another NumPy than the package requires"
)
@pytest.mark.filterwarnings("ignore:Conversion of an array:DeprecationWarning")
@pytest.mark.parametrize("shape", [(), (1,), (1, 1)])
def test_arrays_of_one_element_become_numbers(shape):
    array = Tensor(np.full(shape, 2.5, np.float32)).asnumpy()
    assert (float(array), int(array)) == (2.5, 2)
