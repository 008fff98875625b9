"""Links object files: loads machine code that another process has compiled into this one.

An object file consists of sections (code, constants, variables), symbols (names of places in
sections, and names that other code defines), and relocations: the places where addresses of symbols
belong. Linking copies the sections into memory, and writes these addresses:

    link(code, {"helper": 139872...}, ["run"])  # {"run": 139901...}, the address of a function

Code for x86-64 Linux has one kind of relocation, an address of eight bytes, and is linked here.
LLVM (the package llvmlite) links all other code; it takes 0.1 s and 45 MB more. Linked code stays
in memory until the process ends, because threads may be running it.
"""

import ctypes
import functools
import mmap
import platform
import struct
import sys
from typing import NamedTuple

# Numbers of the ELF format.
ALLOCATED, WRITABLE = 2, 1  # flags of sections
PROGRAM, SYMBOLS, RELOCATIONS, ZEROS, UNWINDING = 1, 2, 4, 8, 0x70000001  # kinds of sections
UNDEFINED, ABSOLUTE, COMMON = 0, 0xFFF1, 0xFFF2  # sections of symbols
ADDRESS = 1  # the kind of relocation: the address of a symbol plus a number

_kept = []  # what holds linked code


def link(code, known, names):
    """Links an object file.

    Args:
        code (bytes): the object file.
        known (dict): addresses of symbols that the code uses, by name. Other symbols that it uses
            are those of this process: of Python and the C library.
        names (list[str]): symbols whose addresses are wanted.

    Returns:
        dict: the addresses of `names`.

    Raises:
        Exception: if it cannot be linked.
    """
    is_own = sys.platform == "linux" and platform.machine() == "x86_64"
    return (link_elf if is_own else link_by_llvm)(code, known, names)


class Section(NamedTuple):
    """A section, as its header in the file describes it."""

    name: int
    kind: int
    flags: int
    address: int
    start: int
    size: int
    link: int
    target: int
    alignment: int
    entry: int

    def content(self, code):
        """Returns the bytes of the section."""
        return code[self.start : self.start + self.size]


class Symbol(NamedTuple):
    """A symbol, as the table in the file describes it."""

    name: int
    kind: int
    visibility: int
    section: int
    value: int
    size: int


def link_elf(code, known, names):
    """Links an ELF object file for x86-64."""
    sections, symbols, texts = _parsed(code)
    places, sealed, size = _layout(sections, symbols, texts)
    private = mmap.MAP_PRIVATE | mmap.MAP_ANONYMOUS
    memory = mmap.mmap(-1, size, private, mmap.PROT_READ | mmap.PROT_WRITE)
    base = ctypes.addressof(ctypes.c_char.from_buffer(memory))
    for index, section in enumerate(sections):
        if index in places and section.kind == PROGRAM:
            memory[places[index] : places[index] + section.size] = section.content(code)

    @functools.cache
    def address(index):
        symbol = symbols[index]
        if symbol.section == UNDEFINED:
            return known.get(texts[index]) or _address_in_process(texts[index])
        if symbol.section == ABSOLUTE:
            return symbol.value
        if symbol.section == COMMON:
            return base + places[texts[index]]
        return base + places[symbol.section] + symbol.value

    for section in sections:
        if section.kind != RELOCATIONS or section.target not in places:
            continue
        for offset, kind, index, number in struct.iter_unpack("<QIIq", section.content(code)):
            if kind != ADDRESS:
                raise ValueError(f"the code has a relocation of kind {kind}")
            value = (address(index) + number) % 2**64
            struct.pack_into("<Q", memory, places[section.target] + offset, value)
    # No memory is both writable and executable.
    flags = mmap.PROT_READ | mmap.PROT_EXEC
    if ctypes.CDLL(None).mprotect(ctypes.c_void_p(base), ctypes.c_size_t(sealed), flags):
        raise OSError("the system allows no new code")
    _kept.append(memory)
    return {name: address(texts.index(name)) for name in names}


def _address_in_process(name):
    """Returns the address of a function of Python or the C library."""
    return ctypes.cast(getattr(ctypes.pythonapi, name), ctypes.c_void_p).value


def _parsed(code):
    """Returns the sections and symbols of an ELF object file, and the names of the symbols."""
    if code[:6] != b"\x7fELF\2\1":
        raise ValueError("the code is no ELF file of 64 bits")
    (start,), (count,) = struct.unpack_from("<Q", code, 40), struct.unpack_from("<H", code, 60)
    headers = code[start : start + 64 * count]
    sections = [Section(*row) for row in struct.iter_unpack("<IIQQQQIIQQ", headers)]
    (table,) = [section for section in sections if section.kind == SYMBOLS]
    symbols = [Symbol(*row) for row in struct.iter_unpack("<IBBHQQ", table.content(code))]
    texts = sections[table.link].content(code)
    ends = [texts.index(0, symbol.name) for symbol in symbols]
    names = [texts[symbol.name : end].decode() for symbol, end in zip(symbols, ends, strict=True)]
    return sections, symbols, names


def _layout(sections, symbols, names):
    """Returns the places in memory of the sections, by number, and of the variables without a
    section, by name. Code and constants come first, and what is written has pages of its own.
    Returns also the size of the first part, and of both."""
    places, place = {}, 0
    for is_written in (False, True):
        sealed = place = -(-place // mmap.PAGESIZE) * mmap.PAGESIZE
        for index, section in enumerate(sections):
            is_used = section.flags & ALLOCATED and section.kind != UNWINDING and section.size
            if not is_used or bool(section.flags & WRITABLE) != is_written:
                continue
            if section.kind not in (PROGRAM, ZEROS):
                raise ValueError(f"the code has a section of kind {section.kind}")
            alignment = section.alignment or 1
            places[index] = -(-place // alignment) * alignment
            place = places[index] + section.size
    for name, symbol in zip(names, symbols, strict=True):
        if symbol.section == COMMON:
            places[name] = -(-place // symbol.value) * symbol.value  # its value is the alignment
            place = places[name] + symbol.size
    return places, sealed, place


@functools.cache
def _llvm():
    """Returns the part of llvmlite that Numba does not change, and its linker."""
    import llvmlite.binding as llvm

    llvm.initialize_native_target()
    llvm.initialize_native_asmprinter()
    return llvm, llvm.create_lljit_compiler()


def link_by_llvm(code, known, names):
    """Links an object file of any format."""
    llvm, linker = _llvm()
    library = llvm.JITLibraryBuilder().add_object_img(code).add_current_process()
    for name, address in known.items():
        library.import_symbol(name, address)
    for name in names:
        library.export_symbol(name)
    addresses = library.link(linker, f"loop {len(_kept)}")
    _kept.append(addresses)
    return {name: addresses[name] for name in names}
