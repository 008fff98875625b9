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
        symbols (dict): addresses of symbols that the code uses, by name. Other symbols are looked
            up in this process: in Python and the C library.
    """

    def __init__(self, symbols):
        import llvmlite.binding as llvm

        llvm.initialize_native_target()
        llvm.initialize_native_asmprinter()
        self._new_builder = llvm.JITLibraryBuilder
        self._jit = llvm.create_lljit_compiler()
        self._count = itertools.count()
        builder = self._new_builder().add_ir("")  # a library needs code, even if it is empty
        for name, address in symbols.items():
            builder.import_symbol(name, address)
        builder.link(self._jit, _SYMBOLS).detach()

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
        builder = self._new_builder().add_object_img(code)
        builder.add_jit_library(_SYMBOLS).add_current_process()
        for name in names:
            builder.export_symbol(name)
        linked = builder.link(self._jit, f"loop {next(self._count)}")
        addresses = {name: linked[name] for name in names}
        linked.detach()  # otherwise the code is unloaded when `linked` is collected
        return addresses
