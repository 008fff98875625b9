"""Compiles CuPy's kernels for the host with g++, in place of NVRTC.

What CuPy stores as a kernel's binary is then a shared library, so CuPy's own cache of kernels works
unchanged. With CUDA_ON_HOST_NVRTC=1 every kernel is compiled by the real NVRTC too, which refuses
some of what g++ accepts.
"""

import functools
import hashlib
import os
import pathlib
import re
import subprocess
import tempfile

HEADERS = pathlib.Path(__file__).parent / "include"
_FLAGS = ("-std=c++17", "-O1", "-fexpensive-optimizations", "-ffp-contract=fast", "-w")
_FLAGS += ("-fPIC", "-fno-gnu-unique")
_LINKING = ("-shared", "-Wl,-Bsymbolic", "-Wl,--strip-debug")
_INCLUDED = ("device.h", "device_cupy.h")  # without CuPy's headers, and with them
_CUPY_HEADER = "#include <cupy/complex.cuh>"

_COMMENT = re.compile(r"//[^\n]*|/\*.*?\*/", re.DOTALL)
_KERNEL = re.compile(
    r"""(extern\s+"C"\s+)?\b__global__\s+(?:static\s+|inline\s+)*
        (?:__launch_bounds__\s*\((?P<before>[^()]*)\)\s*)?
        void\s+(?:__launch_bounds__\s*\((?P<after>[^()]*)\)\s*)?(?P<name>\w+)\s*\(""",
    re.VERBOSE,
)
_DYNAMIC_SHARED = re.compile(
    r"extern\s+__shared__\s+(?:__align__\s*\(\s*\d+\s*\)\s*|alignas\s*\(\s*\d+\s*\)\s*)?"
    r"(?P<type>[\w\s:<>,]+?)\s*\b(?P<name>\w+)\s*\[\s*\]\s*;"
)
_COMPLEX_XSF = re.compile(r"(#include\s*<cupy/xsf/(lambertw|digamma|sici)\.h>)")
_MEETING = re.compile(r"__sync(?:threads|warp)|__shfl_|__\w+_sync\b|\bcub::|cooperative_groups")
_DOUBLE, _SINGLE = re.compile(r"\bdouble\b"), re.compile(r"\bfloat\b|\bhalf\b|float16\b")


def take_over(module):
    """Puts g++ in NVRTC's place in `cupy.cuda.compiler`."""
    compile_with_nvrtc = module._compile_using_nvrtc_no_warning

    def compile_kernels(source, options=(), arch=None, *rest, **named):
        if _uses_nvrtc():
            compile_with_nvrtc(source, options, arch, *rest, **named)
        expressions = named.get("name_expressions", rest[1] if len(rest) > 1 else None)
        return compile_for_host(source, tuple(options), expressions, module.CompileException)

    module._compile_using_nvrtc_no_warning = compile_kernels
    # CuPy makes what this returns a part of the key of its cache.
    module._preprocess = lambda *arguments: f"{_version()} {_uses_nvrtc()}"


def _uses_nvrtc():
    return os.environ.get("CUDA_ON_HOST_NVRTC") == "1"


def compile_for_host(source, options, expressions, failure):
    """Returns a shared library with the kernels of `source`, and the labels of the expressions."""
    labels = {expression: f"expression_{i}" for i, expression in enumerate(expressions or ())}
    text = host_text(source, options, labels)
    with tempfile.TemporaryDirectory(prefix="cuda_on_host_") as folder:
        path = pathlib.Path(folder, "kernel.cpp")
        path.write_text(text)
        library = pathlib.Path(folder, "kernel.so")
        result = _run([*_host_options(options), *_LINKING, "-o", str(library), str(path)])
        if result.returncode:
            raise failure(f"g++ for the host: {result.stderr[:4000]}", source, str(path), options)
        return library.read_bytes(), labels or None


def _run(arguments):
    command = ["g++", *_FLAGS, *_machine_flags(), f"-I{HEADERS}", *arguments]
    return subprocess.run(command, capture_output=True, text=True, check=False)


def precompile():
    """Precompiles our headers; build.py does this last."""
    from cupy._core import core

    options = _host_options(core.assemble_cupy_compiler_options(()))
    for header in _INCLUDED:
        path = HEADERS / header
        result = _run([*options, "-x", "c++-header", "-o", f"{path}.gch", str(path)])
        if result.returncode:
            raise SystemExit(result.stderr)


def host_text(source, options, labels):
    """Returns the source for g++: our header before it, an entry for each kernel behind it."""
    plain = _COMMENT.sub(" ", source)
    header = _INCLUDED[_CUPY_HEADER in plain]
    meets = "true" if _MEETING.search(plain) else "false"
    entries = [f"HOST_KERNEL({name}, {name}, {meets}, {bound})" for name, bound in _kernels(plain)]
    entries += [
        f"HOST_KERNEL({label}, ({expression}), {meets}, 0)" for expression, label in labels.items()
    ]
    flushes = "-ftz=true" in options and not _only_double(plain)
    entries.append(f'extern "C" {{ extern const int host_flushes_subnormals = {int(flushes)}; }}')
    text = _COMPLEX_XSF.sub(r"\1\nHOST_XSF_\2", _with_shared(source))
    return "\n".join([f'#include "{header}"', "#line 1", text, *entries, ""])


def _kernels(plain):
    """Yields the kernels that can be looked up by name, each with its launch bound or 0."""
    in_block = re.search(r'extern\s+"C"\s*\{', plain)
    for match in _KERNEL.finditer(plain):
        if match[1] or in_block:
            bound = (match["before"] or match["after"] or "").split(",")[0].strip()
            yield match["name"], bound if bound.isdigit() else 0


def _with_shared(source):
    """Declares dynamic shared memory as a pointer, outside functions as an object."""

    def declaration(match):
        before = _COMMENT.sub("", source[: match.start()])
        inside = before.count("{") > before.count("}")
        where = "INSIDE" if inside else "OUTSIDE"
        return f"HOST_SHARED_{where}({match['type'].strip()}, {match['name']});"

    return _DYNAMIC_SHARED.sub(declaration, source)


def _only_double(plain):
    """Returns whether a source uses only float64. The option -ftz=true affects only float32, the
    corresponding switch of the host both."""
    return bool(_DOUBLE.search(plain)) and not _SINGLE.search(plain)


def _host_options(options):
    """Returns the options that g++ shares with NVRTC; the path of CUB would hide our headers."""
    return [
        option.replace("--std", "-std")
        for option in options
        if option.startswith(("-D", "-U", "-I", "-std=", "--std=")) and "/_cccl/cub" not in option
    ]


@functools.cache
def _machine_flags():
    """Fuses multiplications and additions, as NVRTC does, where the processor can."""
    try:
        flags = pathlib.Path("/proc/cpuinfo").read_text()
    except OSError:
        return ()
    return ("-mfma", "-mf16c") if " fma " in flags and " f16c " in flags else ()


@functools.cache
def _version():
    """Returns a text that changes if anything changes that a compiled kernel depends on."""
    digest = hashlib.sha1(repr((_FLAGS, _LINKING, _machine_flags())).encode())
    digest.update(pathlib.Path(__file__).read_bytes())
    for path in sorted(HEADERS.rglob("*")):
        if path.suffix in (".h", ".cuh"):
            digest.update(path.read_bytes())
    return f"// host compiler {digest.hexdigest()}"
