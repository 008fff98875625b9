"""The MindSpore release whose API this package implements, and the release of this package."""

__version__ = "2.10.0"
__compat_version__ = "0.1.0"
