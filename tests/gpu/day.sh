#!/usr/bin/env bash
# What to ask a GPU that answers for ten minutes: at most 560 s, at most 8 files in $OUT.
#
#     OUT=FOLDER tests/gpu/day.sh              on the GPU of this machine, with the python3 on PATH
#     OUT=FOLDER tests/gpu/day.sh --dry        tiny sizes, on CuPy without a GPU (docs/cuda_on_host.rst)
#
# $PYTHON names another interpreter, which has CuPy and the extra `test`. It stops after the smoke
# test if that fails.
set -uo pipefail
cd "$(dirname "$0")/../.."
out=${OUT:?OUT must name a folder}
mkdir -p "$out"
dry=; python=("${PYTHON:-python3}"); jobs=14
if [ "${1:-}" = --dry ]; then
    dry=--dry; jobs=2
    python+=(-m tests.cuda_on_host)
    "${python[@]}" > /dev/null || exit
fi
export PYTHONPATH="$PWD:$PWD/tests"
status=0

# Runs a part for at most so many seconds; its output goes to a file and to the terminal.
part() {
    local name=$1 limit=$2 started=$SECONDS
    shift 2
    [ -z "$dry" ] || limit=$((limit * 10))  # g++ compiles each kernel
    echo "== $name"
    timeout -k 5 "$limit" "$@" 2>&1 | tee "$out/$name.txt"
    local ended=${PIPESTATUS[0]}
    echo "$name: status $ended after $((SECONDS - started)) s" >> "$out/summary.txt"
    [ "$ended" -eq 0 ] || status=1
    return "$ended"
}
finish() {
    echo "== summary"
    cat "$out/summary.txt"
    exit "$status"
}
has() { command -v "$1" > /dev/null; }

: > "$out/summary.txt"
part machine 20 bash -c '
    nvidia-smi || true
    "$@" -m tests.gpu --only libraries --output "$(mktemp -d)"
    "$@" -m pip list 2> /dev/null | grep -iE "^(cupy|numpy|torch|nvidia|scipy)"
' machine "${python[@]}"
part smoke 90 "${python[@]}" -m tests.gpu.smoke || finish
part rates 190 "${python[@]}" -m tests.gpu.rates $dry --output "$out"
if [ -z "$dry" ]; then
    suites=(tests/gpu tests/ops/test_every_device.py tests/nn/optim tests/nn/wrap tests/_backend)
else
    suites=(tests/gpu/test_products.py -k "cupy and matrix")
fi
part suites 170 "${python[@]}" -m pytest -q -p no:cacheprovider --gpu -n "$jobs" "${suites[@]}"
if has compute-sanitizer; then
    part races 40 compute-sanitizer --tool racecheck "${python[@]}" -m pytest -q -p no:cacheprovider \
        --gpu tests/gpu/test_kernels.py -k "Softmax or LayerNorm or windows"
fi
if has ncu; then
    part profiles 30 ncu --launch-count 20 "${python[@]}" -m tests.gpu.rates --dry --output "$(mktemp -d)"
fi
finish
