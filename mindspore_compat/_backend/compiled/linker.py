"""Links object files by LLVM (the package llvmlite): loads machine code that another process has
compiled into this one.

    linker = Linker({"helper": 139872...})
    linker.link(code, ["run"])  # {"run": 139901...}, the address of a function

Only the part of llvmlite that binds LLVM is imported: 0.05 s and 45 MB, most of them pages of the
library that processes share. The symbols that code uses are declared once, as a library of their
own, because declaring hundreds of them takes ten times as long as linking a loop. Linked code stays
in memory until the process ends, because threads may be running it.
"""

import itertools

_SYMBOLS = "symbols"


class Linker:
    """Links object files.

    Args:
        symbols (dict): addresses of symbols that the code uses, by name. Other symbols that it uses
            are those of this process: of Python and the C library.
    """

    def __init__(self, symbols):
        import llvmlite.binding as llvm

        llvm.initialize_native_target()
        llvm.initialize_native_asmprinter()
        self._library = llvm.JITLibraryBuilder
        self._jit = llvm.create_lljit_compiler()
        self._count = itertools.count()
        library = self._library().add_ir("")  # a library has code, be it none
        for name, address in symbols.items():
            library.import_symbol(name, address)
        library.link(self._jit, _SYMBOLS).detach()

    def link(self, code, names):
        """Links an object file.

        Args:
            code (bytes): the object file.
            names (list[str]): symbols whose addresses are wanted.

        Returns:
            dict: the addresses of `names`.

        Raises:
            Exception: if it cannot be linked.
        """
        library = self._library().add_object_img(code)
        library.add_jit_library(_SYMBOLS).add_current_process()
        for name in names:
            library.export_symbol(name)
        linked = library.link(self._jit, f"loop {next(self._count)}")
        addresses = {name: linked[name] for name in names}
        linked.detach()  # else its end would unload the code
        return addresses
