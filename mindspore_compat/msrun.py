"""`python -m mindspore_compat.msrun`: starts a script on several processes, as MindSpore's `msrun`
does; `communication/msrun.py` says how."""

import sys

from .communication.msrun import main

if __name__ == "__main__":
    sys.exit(main())
