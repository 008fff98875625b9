"""The MindSpore release whose API this package implements, and the release of this package."""

__version__ = "2.10.0"
__compat_version__ = "0.1.0"

# The releases whose meaning MINDSPORE_COMPAT_RELEASE can choose.
RELEASES = """1.3 1.5 1.6 1.7 1.8 1.9 1.10 2.0 2.1 2.2 2.3 2.4 2.5 2.6 2.7 2.8 2.9 2.10""".split()
