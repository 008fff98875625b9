"""Links object files: loads machine code that another process has compiled into this one.

    linker = Linker({"helper": 139872...})
    linker.link(code, ["run"])  # {"run": 139901...}, the address of a function

elf.py links the loops of Linux on x86-64. LLVM (the package llvmlite) links all others. Of
llvmlite only the part that binds LLVM is imported: 0.05 s and 45 MB. The symbols that code uses are
declared once, as a library of their own, because declaring hundreds of them takes ten times as long
as linking a loop. Linked code stays in memory until the process ends, because threads may be
running it.
"""

import itertools

from . import elf

_SYMBOLS = "symbols"


class Linker:
    """Links object files.

    Args:
        symbols (dict): addresses of symbols that the code uses, by name. Other symbols are looked
            up in this process: in Python and the C library.
    """

    def __init__(self, symbols):
        self._addresses = symbols
        self._llvm = None

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
        try:
            return elf.link(code, names, self._addresses)
        except elf.NotLinkable:
            self._llvm = self._llvm or LlvmLinker(self._addresses)
            return self._llvm.link(code, names)


class LlvmLinker:
    """Links object files by LLVM; as `Linker`."""

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
        """As `Linker.link`."""
        builder = self._new_builder().add_object_img(code)
        builder.add_jit_library(_SYMBOLS).add_current_process()
        for name in names:
            builder.export_symbol(name)
        linked = builder.link(self._jit, f"loop {next(self._count)}")
        addresses = {name: linked[name] for name in names}
        linked.detach()  # otherwise the code is unloaded when `linked` is collected
        return addresses
