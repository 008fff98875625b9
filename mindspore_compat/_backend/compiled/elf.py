"""Links object files of Linux on x86-64 without loading LLVM, which takes 0.05 s and 45 MB.

LLVM compiles loops for the large code model. An object file then refers to functions and to its own
data only by absolute addresses of 64 bits:

    code = bytes of an object file            sections .ltext, .lrodata, ...: the code and its data
    link(code, ["run"], {"exp": 139872...})   copies the sections into new pages, writes addresses
                                              where relocations want them, makes code executable
    {"run": 139901...}

Anything else in an object file raises `NotLinkable`, and LLVM links the file (linker.py). Tables
for debuggers and C++ exceptions (.eh_frame) are skipped. The structures and their names come from
the ELF-64 format.
"""

import ctypes
import functools
import mmap
import struct
import sys

_HEADER, _X86_64, _RELOCATABLE = b"\x7fELF\x02\x01\x01", 62, 1
_SHT_PROGBITS, _SHT_SYMTAB, _SHT_RELA, _SHT_NOBITS = 1, 2, 4, 8
_SHF_ALLOC, _SHF_EXECINSTR, _SHF_TLS = 2, 4, 1 << 10
_SHN_UNDEF, _SHN_COMMON = 0, 0xFFF2
_R_X86_64_64 = 1
_SECTION = struct.Struct("<IIQQQQIIQQ")
_SYMBOL = struct.Struct("<IBBHQQ")
_RELOCATION = struct.Struct("<QQq")
_SKIPPED = {".eh_frame"}


class NotLinkable(Exception):
    """An object file needs more than absolute addresses, or the system is another one."""


def link(code, names, symbols):
    """Links an object file. The linked code stays in memory until the process ends.

    Args:
        code (bytes): the object file.
        names (list[str]): symbols whose addresses are wanted.
        symbols (dict): addresses of symbols that the code uses, by name. Other symbols are looked
            up in this process.

    Returns:
        dict: the addresses of `names`.

    Raises:
        NotLinkable: if it takes LLVM to link it.
        MemoryError: if there is no memory for it.
    """
    try:
        image = _Image(code)
        image.place(symbols)
        image.relocate()
        image.protect()
        return {name: image.exported[name] for name in names}
    except (struct.error, KeyError, IndexError, ValueError, OSError) as error:
        raise NotLinkable(str(error)) from error


class _Image:
    """An object file on its way into memory.

    Attributes:
        exported (dict): the addresses of the symbols that it defines, by name.
    """

    def __init__(self, code):
        kind, machine = struct.unpack_from("<HH", code, 16)
        if not (sys.platform == "linux" and code.startswith(_HEADER)):
            raise NotLinkable("no object file of Linux with 64 bits")
        if (kind, machine) != (_RELOCATABLE, _X86_64):
            raise NotLinkable(f"an object file of machine {machine}")
        (table,) = struct.unpack_from("<Q", code, 40)
        count, names = struct.unpack_from("<HH", code, 60)
        self._code = code
        self._sections = [
            _SECTION.unpack_from(code, table + i * _SECTION.size) for i in range(count)
        ]
        self._names = [self._text(names, section[0]) for section in self._sections]
        self.exported = {}

    def _text(self, strings, offset):
        start = self._sections[strings][4] + offset
        return self._code[start : self._code.index(b"\0", start)].decode()

    def place(self, symbols):
        """Copies the sections into new pages, code first, and finds the addresses of all symbols.

        Code is on separate pages, which are not writable afterwards.
        """
        kept = [i for i, section in enumerate(self._sections) if self._is_kept(i, section)]
        kept.sort(key=lambda i: not self._sections[i][2] & _SHF_EXECINSTR)
        for _, kind, flags, *_ in [self._sections[i] for i in kept]:
            if kind not in (_SHT_PROGBITS, _SHT_NOBITS) or flags & _SHF_TLS:
                raise NotLinkable(f"a section of type {kind}, flags {flags}")
        offsets, end, self._executable = {}, 0, 0
        for i in kept:
            flags, size, alignment = (self._sections[i][field] for field in (2, 5, 8))
            if not flags & _SHF_EXECINSTR and not self._executable:
                self._executable = end = _rounded(end, mmap.PAGESIZE)
            offsets[i] = end = _rounded(end, alignment)
            end += size
        self._executable = self._executable or _rounded(end, mmap.PAGESIZE)
        table = next(i for i, section in enumerate(self._sections) if section[1] == _SHT_SYMTAB)
        end = max(end, self._executable)
        common, end = self._common(table, end)
        self._start = _new_pages(end)
        self._places = {i: self._start + offset for i, offset in offsets.items()}
        for i, place in self._places.items():
            _, kind, _, _, offset, size, *_ = self._sections[i]
            if kind != _SHT_NOBITS:
                ctypes.memmove(place, self._code[offset : offset + size], size)
        self._addresses = [
            self._address(i, symbol, name, common, symbols)
            for i, (name, symbol) in enumerate(self._symbols(table))
        ]

    def _is_kept(self, i, section):
        return section[2] & _SHF_ALLOC and section[5] and self._names[i] not in _SKIPPED

    def _symbols(self, table):
        _, _, _, _, offset, size, strings, *_ = self._sections[table]
        for place in range(offset, offset + size, _SYMBOL.size):
            symbol = _SYMBOL.unpack_from(self._code, place)
            yield self._text(strings, symbol[0]), symbol

    def _common(self, table, end):
        """Returns the offsets of variables without a section, by name, and where they end."""
        common = {}
        for name, (_, _, _, section, alignment, size) in self._symbols(table):
            if section == _SHN_COMMON:
                common[name] = end = _rounded(end, alignment)
                end += size
        return common, end

    def _address(self, i, symbol, name, common, symbols):
        """Returns the address of a symbol; None if no relocation can need it."""
        _, _, _, section, value, _ = symbol
        if section == _SHN_UNDEF:
            return None if i == 0 else symbols.get(name) or _address_in_process(name)
        if section == _SHN_COMMON:
            address = self._start + common[name]
        elif section in self._places:
            address = self._places[section] + value
        else:
            return None
        self.exported[name] = address
        return address

    def relocate(self):
        """Applies the relocations: writes the address of each symbol at the places that refer to
        it."""
        for _, kind, _, _, offset, size, _, target, *_ in self._sections:
            if kind != _SHT_RELA or target not in self._places:
                continue
            start = self._places[target]
            for place in range(offset, offset + size, _RELOCATION.size):
                at, info, addend = _RELOCATION.unpack_from(self._code, place)
                address = self._addresses[info >> 32]
                if info & 0xFFFFFFFF != _R_X86_64_64 or address is None:
                    raise NotLinkable(f"a relocation of type {info & 0xFFFFFFFF}")
                ctypes.c_uint64.from_address(start + at).value = address + addend

    def protect(self):
        """Makes the pages of code executable and read-only."""
        if self._executable and _library().mprotect(
            self._start, self._executable, mmap.PROT_READ | mmap.PROT_EXEC
        ):
            raise NotLinkable("the system allows no new code")


def _rounded(offset, alignment):
    return -(-offset // max(alignment, 1)) * max(alignment, 1)


@functools.cache
def _library():
    """Returns the symbols of this process, with argument types for the functions called here."""
    library = ctypes.CDLL(None, use_errno=True)
    size, address = ctypes.c_size_t, ctypes.c_void_p
    library.mmap.argtypes = [address, size, ctypes.c_int, ctypes.c_int, ctypes.c_int, ctypes.c_long]
    library.mmap.restype = address
    library.mprotect.argtypes = [address, size, ctypes.c_int]
    return library


def _new_pages(size):
    """Returns the address of new pages, which are never returned: threads may run their code.

    Raises:
        MemoryError: if there is no memory for them. LLVM needs more of it, so it must not be tried.
    """
    kind = mmap.MAP_PRIVATE | mmap.MAP_ANONYMOUS
    address = _library().mmap(None, size, mmap.PROT_READ | mmap.PROT_WRITE, kind, -1, 0)
    if address in (None, ctypes.c_void_p(-1).value):
        raise MemoryError("no memory for code")
    return address


def _address_in_process(name):
    try:
        return ctypes.cast(getattr(_library(), name), ctypes.c_void_p).value
    except AttributeError as error:
        raise NotLinkable(f"no symbol {name}") from error
