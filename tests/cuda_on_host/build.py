"""Builds what an environment needs beyond packages, with gcc and Cython, into the environment that
runs this file: the fakes of CUDA's libraries, and four of CuPy's modules from CuPy's own source,
because those of the wheel contain NVIDIA's runtime or code for GPUs.

    python build.py DOWNLOADS

DOWNLOADS holds CuPy's source distribution and wheels of cuRAND and cuDNN (environment.py).
"""

import concurrent.futures
import os
import pathlib
import re
import shutil
import subprocess
import sys
import sysconfig
import tarfile
import tempfile
import zipfile
from typing import NamedTuple

HERE = pathlib.Path(__file__).resolve().parent
SITE = pathlib.Path(sysconfig.get_path("purelib"))
PACKAGE = SITE / "simulated_cuda"
LIBRARIES = PACKAGE / "lib"
CUDNN = PACKAGE / "cudnn"  # its headers, which tests read too
CUDA = SITE / "nvidia/cu13/include"
CCCL = SITE / "cupy/_core/include/cupy/_cccl"
SUFFIX = sysconfig.get_config_var("EXT_SUFFIX")
C = ["gcc", "-O2", "-g", "-Wall", "-shared", "-fPIC"]
CPP = ["g++", "-std=c++17", "-O2", "-g", "-Wall", "-shared", "-fPIC", "-fno-gnu-unique"]


class Fake(NamedTuple):
    """A fake library: its sources in src/, what it is linked with, the module of CuPy that calls
    it, the prefix of its functions' names, and its code for "not supported"."""

    sources: str | None = None
    linked: str | None = None
    module: str | None = None
    prefix: str = ""
    unsupported: int = 0


RUNTIME = "libcudart.so.13"
DRIVER = "libcuda.so.1"
OPENBLAS = "-l:libscipy_openblas.so"
LIBS = "cupy_backends/cuda/libs/"
FAKES = {
    RUNTIME: Fake("runtime/*.c", None, "cupy_backends/cuda/api/runtime", "cuda", 801),
    DRIVER: Fake("driver/*.c", "-ldl"),
    "libcublasLt.so.13": Fake("libraries/cublaslt.cpp"),  # CuPy calls neither, but loads both
    "libnvJitLink.so.13": Fake(),  # before the others
    "libcublas.so.13": Fake("libraries/cublas_*.cpp", OPENBLAS, LIBS + "cublas", "cublas", 15),
    "libcusolver.so.12": Fake(
        "libraries/cusolver_*.cpp", OPENBLAS, LIBS + "cusolver", "cusolver", 9
    ),
    "libcusparse.so.12": Fake("libraries/cusparse.c", None, LIBS + "cusparse", "cusparse", 10),
    "libcufft.so.12": Fake("libraries/cufft.cpp", None, "cupy/cuda/cufft", "cufft", 16),
    "libcurand.so.10": Fake("libraries/curand.cpp", None, LIBS + "curand", "curand", 999),
    "libnccl.so.2": Fake("libraries/nccl.cpp", None, LIBS + "nccl", "nccl", 3),
    "libcudnn.so.9": Fake("libraries/cudnn_*.cpp"),  # CuPy has nothing of it
}
# The modules that are built from source, with our parts in place of what only NVCC compiles.
MODULES = {
    "cupy_backends.cuda.api.runtime": [],
    "cupy.cuda.thrust": ["thrust.cpp"],
    "cupy.cuda.cub": ["cub.cpp"],
    "cupy.random._generator_api": ["distributions.cpp"],
}


def main(downloads):
    """Builds everything from what was downloaded."""
    with tempfile.TemporaryDirectory() as folder, concurrent.futures.ThreadPoolExecutor() as pool:
        work = pathlib.Path(folder)
        install_package()
        unpack_headers(downloads, "nvidia_cudnn_*.whl", CUDNN)
        build_fake(RUNTIME, work)  # without stubs: the wheel's own module links NVIDIA's runtime
        build_fake(DRIVER, work)
        source = unpack(downloads, work)
        compilers = [pool.submit(compile_module, name, source, work) for name in MODULES]
        for compiler in compilers:
            compiler.result()
        build_fake(RUNTIME, work)
        list(pool.map(lambda name: build_fake(name, work), FAKES.keys() - {RUNTIME, DRIVER}))
    run([sys.executable, "-c", "import simulated_cuda.compiler as c; c.precompile()"])


def run(command):
    """Runs a compiler; if it fails, ends the build with the compiler's messages."""
    result = subprocess.run([str(part) for part in command], capture_output=True, text=True)
    if result.returncode:
        raise SystemExit(f"{' '.join(map(str, command))}\n{result.stdout}{result.stderr}")


def install_package():
    """Copies the Python part and the headers of kernels, and makes Python load that part when it
    starts."""
    shutil.rmtree(PACKAGE, ignore_errors=True)
    ignored = shutil.ignore_patterns("__pycache__")
    shutil.copytree(HERE / "site" / "simulated_cuda", PACKAGE, ignore=ignored)
    shutil.copytree(HERE / "src" / "kernels", PACKAGE / "include")
    LIBRARIES.mkdir()
    shutil.copy(SITE / "scipy_openblas32/lib/libscipy_openblas.so", LIBRARIES)
    (SITE / "simulated_cuda.pth").write_text("import simulated_cuda; simulated_cuda.watch()\n")


def build_fake(name, work):
    """Links a fake library, with stubs for those functions CuPy calls that it lacks."""
    fake = FAKES[name]
    result = LIBRARIES / name
    sources = sorted((HERE / "src").glob(fake.sources)) if fake.sources else []
    version = work / f"{name}.map"
    version.write_text(f"{name} {{ global: *; }};\n")
    compiler = CPP if any(path.suffix == ".cpp" for path in sources) else C
    include = [f"-I{path}" for path in (CUDA, CUDNN, CCCL / "libcudacxx", HERE / "src")]
    linking = [f"-Wl,-soname,{name}", f"-Wl,--version-script={version}", "-Wl,-rpath,$ORIGIN"]
    linking += [f"-L{LIBRARIES}", *([] if name == RUNTIME else [f"-l:{RUNTIME}"])]
    linking += [fake.linked] if fake.linked else []
    run([*compiler, *include, "-o", result, *sources, *linking])
    missing = sorted(called_functions(fake) - symbols(result, "--defined-only"))
    if missing:
        stubs = work / f"stubs_{fake.prefix}.c"
        stubs.write_text(stub_text(missing, fake.unsupported))
        compiled = stubs.with_suffix(".o")
        run(["gcc", "-O2", "-fPIC", "-c", "-o", compiled, stubs])
        run([*compiler, *include, "-o", result, *sources, compiled, *linking])


def called_functions(fake):
    """Returns the functions of a library that CuPy's module calls."""
    if not fake.module:
        return set()
    names = symbols(SITE / f"{fake.module}{SUFFIX}", "--undefined-only")
    return {name for name in names if name.startswith(fake.prefix)}


def symbols(path, option):
    """Returns the names in a library's dynamic symbol table, without their versions."""
    lines = subprocess.check_output(["nm", "-D", option, str(path)], text=True).splitlines()
    return {line.split()[-1].split("@")[0] for line in lines if line.split()}


def stub_text(names, code):
    """Returns C functions that report that they are not modelled, and return an error."""
    lines = ["extern void host_unmodelled(const char *function);"]
    lines += [f"int {name}(void) {{ host_unmodelled(__func__); return {code}; }}" for name in names]
    return "\n".join(lines) + "\n"


def unpack(downloads, work):
    """Unpacks CuPy's source and the headers of cuRAND; returns the folder of the source."""
    with tarfile.open(next(downloads.glob("cupy-*.tar.gz"))) as archive:
        archive.extractall(work, filter="data")
    unpack_headers(downloads, "nvidia_curand-*.whl", work / "curand")
    source = next(path for path in work.iterdir() if path.name.startswith("cupy-"))
    distributions = source / "cupy/random/cupy_distributions.cu"
    host = work / "cupy_distributions_on_host.h"
    host.write_text(launches_as_calls(distributions.read_text()))
    return source


def unpack_headers(downloads, pattern, folder):
    """Unpacks the C headers of a wheel into a folder of their own."""
    folder.mkdir()
    with zipfile.ZipFile(next(downloads.glob(pattern))) as archive:
        for name in archive.namelist():
            if name.endswith(".h"):
                (folder / pathlib.PurePosixPath(name).name).write_bytes(archive.read(name))


def launches_as_calls(text):
    """Replaces kernel<<<grid, block, shared, stream>>>(arguments) by a call that C++ accepts."""
    return re.sub(
        r"([\w:]+(?:<[\w\s,:]+>)?)<<<(.*?)>>>\(",
        r"host_launch([](auto... values) { \1(values...); }, \2, ",
        text,
    )


def compile_module(name, source, work):
    """Builds a module of CuPy from Cython in the same way as CuPy's own build, with the project's
    fakes."""
    pyx = pathlib.Path(name.replace(".", "/") + ".pyx")
    translated = work / f"{pyx.stem}.cpp"
    run([sys.executable, "-B", __file__, "--translate", source, pyx, translated])
    include = [CUDA, source / "cupy/_core/include", work, work / "curand", HERE / "src"]
    include += [CCCL / part for part in ("thrust", "libcudacxx", "cub")]
    include += [source / pyx.parent, source / "cupy/cuda", source / "cupy/random"]
    include += [HERE / "src/kernels", sysconfig.get_path("include")]
    result = SITE / (name.replace(".", "/") + SUFFIX)
    parts = [HERE / "src/cupy_parts" / part for part in MODULES[name]]
    command = [*CPP, "-w", *(f"-I{path}" for path in include)]
    command += ["-o", result, translated, *parts, f"-L{LIBRARIES}", f"-l:{RUNTIME}"]
    command += [f"-Wl,-rpath,$ORIGIN/{os.path.relpath(LIBRARIES, result.parent)}"]
    command += [f"-l:{DRIVER}"] if name.endswith("_generator_api") else []
    run(command)


def translate(source, pyx, translated):
    """Translates a module to C++; a process of its own, because Cython's settings are global."""
    import Cython
    from Cython.Compiler import Errors
    from Cython.Compiler.Main import CompilationOptions, compile_single

    conditions = {
        "CUPY_USE_CUDA_PYTHON": False,
        "CUPY_CUFFT_STATIC": False,
        "CUPY_CYTHON_VERSION": Cython.__version__,
        "CUPY_CUDA_VERSION": 13000,
        "CUPY_HIP_VERSION": 0,
    }
    options = CompilationOptions(
        cplus=True,
        language_level=3,
        output_file=translated,
        include_path=[source],
        compile_time_env=conditions,
    )
    Errors.LEVEL = 3  # no warnings
    name = pyx.removesuffix(".pyx").replace("/", ".")
    if compile_single(os.path.join(source, pyx), options, name).num_errors:
        raise SystemExit(f"Cython cannot translate {pyx}")


if __name__ == "__main__":
    if sys.argv[1] == "--translate":
        translate(*sys.argv[2:])
    else:
        main(pathlib.Path(sys.argv[1]))
