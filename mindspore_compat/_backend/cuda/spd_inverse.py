"""Batched inverses of symmetric positive definite blocks on a GPU.

A matrix is treated as blocks along its diagonal, as in ../block_inverse.py. Six launches invert the
blocks of up to MOST matrices of any sizes, and the host waits for none of them:

    measure   checks which blocks are finite, and sums the diagonal of each block
    factor    the Cholesky factor of each damped block, and the inverse of that factor, in float64;
              four times with growing shifts; later launches skip matrices that are done
    combine   the products of the inverse factors, in float32

One block of threads works on one block of a matrix. Facts about the other blocks of its matrix (the
mean of the diagonal, and whether a shift was enough) come from earlier launches.
"""

import numpy

MOST = 40  # matrices of one launch: the table is passed by value, in at most 4096 bytes
ELEMENTS = 1 << 22  # elements of all blocks of one launch, unless a single matrix has more
THREADS = 256
TRIES = 4

_SOURCE = """
struct Table {{
    unsigned long long matrix[{most}], out[{most}], damping[{most}], positions[{most}];
    double damping_value[{most}], positions_value[{most}];
    long long offset[{most}];
    int size[{most}], width[{most}], first[{most}], matrices, blocks;
}};

__device__ int matrix_of(const Table& table, int block) {{
    int at = 0;
    while (at + 1 < table.matrices && table.first[at + 1] <= block) ++at;
    return at;
}}

// Rows of a block that lie in its matrix; the others are an identity.
__device__ int rows_of(const Table& table, int m, int block) {{
    int rest = table.size[m] - (block - table.first[m]) * table.width[m];
    return rest < table.width[m] ? rest : table.width[m];
}}

__device__ float element(const Table& table, int m, int block, int i, int j) {{
    long long start = (long long)(block - table.first[m]) * table.width[m];
    return ((const float*)table.matrix[m])[(start + i) * table.size[m] + start + j];
}}

__device__ bool is_finite(float x) {{ return x - x == 0.0f; }}

extern "C" __global__ void measure(const Table table, int* bad, double* sums) {{
    __shared__ int some_bad;
    __shared__ double parts[{threads}];
    int block = blockIdx.x, m = matrix_of(table, block), rows = rows_of(table, m, block);
    if (threadIdx.x == 0) some_bad = 0;
    __syncthreads();
    double sum = 0;
    for (int at = threadIdx.x; at < rows * rows; at += blockDim.x) {{
        int i = at / rows, j = at % rows;
        float x = element(table, m, block, i, j);
        if (!is_finite(x)) some_bad = 1;
        if (i == j) sum += x < 0 ? -(double)x : (double)x;
    }}
    parts[threadIdx.x] = sum;
    __syncthreads();
    for (int half = blockDim.x / 2; half > 0; half /= 2) {{
        if (threadIdx.x < half) parts[threadIdx.x] += parts[threadIdx.x + half];
        __syncthreads();
    }}
    if (threadIdx.x == 0) {{
        bad[block] = some_bad;
        sums[block] = some_bad ? (double)table.width[m] : parts[0];
    }}
}}

__device__ double shift_of(const Table& table, int m, const double* sums, int attempt) {{
    double damping = table.damping[m] ? *(const double*)table.damping[m] : table.damping_value[m];
    double positions = table.positions[m] ? (double)*(const float*)table.positions[m]
                                          : table.positions_value[m];
    double shift = sqrt(damping / positions), mean = 0;
    if (attempt == 0) return shift;
    int last = m + 1 < table.matrices ? table.first[m + 1] : table.blocks;
    for (int block = table.first[m]; block < last; ++block) mean += sums[block];
    double more = fmax(10 * shift, {least} * (mean / table.size[m]));
    if (!(more > 0)) more = 1;
    return attempt == 1 ? more : attempt == 2 ? 10 * more : 100 * more;
}}

// Writes the upper triangle U of B = U^T U and the upper triangle of its inverse.
extern "C" __global__ void factor(
    const Table table, const int* bad, const double* sums, int* failed, double* upper,
    double* inverse, int attempt) {{
    __shared__ double pivot;
    __shared__ double largest[{threads}];
    int block = blockIdx.x, m = matrix_of(table, block), n = table.width[m];
    if (attempt && !failed[(attempt - 1) * {most} + m]) return;
    int rows = rows_of(table, m, block);
    long long place = table.offset[m] + (long long)(block - table.first[m]) * n * n;
    double *u = upper + place, *v = inverse + place;
    double shift = shift_of(table, m, sums, attempt);
    double corner = (bad[block] ? 1.0 : (double)element(table, m, block, 0, 0)) + shift;
    double top = -1e308;
    for (int at = threadIdx.x; at < n * n; at += blockDim.x) {{
        int i = at / n, j = at % n;
        double x = i == j;
        if (!bad[block]) x = i < rows && j < rows ? (double)element(table, m, block, i, j) : 0.0;
        if (i == j) {{
            x = i < rows ? x + shift : corner;
            top = fmax(top, x);
        }}
        u[at] = x;
    }}
    largest[threadIdx.x] = top;
    __syncthreads();
    for (int half = blockDim.x / 2; half > 0; half /= 2) {{
        if (threadIdx.x < half)
            largest[threadIdx.x] = fmax(largest[threadIdx.x], largest[threadIdx.x + half]);
        __syncthreads();
    }}
    double least = {rounding} * largest[0];
    bool usable = true;
    for (int k = 0; k < n; ++k) {{
        if (threadIdx.x == 0) pivot = u[k * n + k];
        __syncthreads();
        if (!(pivot > least)) {{
            usable = false;
            break;
        }}
        double root = sqrt(pivot);
        for (int j = k + threadIdx.x; j < n; j += blockDim.x) u[k * n + j] /= root;
        __syncthreads();
        for (int i = k + 1 + threadIdx.x / 32; i < n; i += blockDim.x / 32)
            for (int j = i + threadIdx.x % 32; j < n; j += 32)
                u[i * n + j] -= u[k * n + i] * u[k * n + j];
        __syncthreads();
    }}
    if (!usable) {{
        if (threadIdx.x == 0) atomicAdd(&failed[attempt * {most} + m], 1);
        for (int at = threadIdx.x; at < n * n; at += blockDim.x) v[at] = sqrt(-1.0);
        return;
    }}
    for (int j = threadIdx.x; j < n; j += blockDim.x)
        for (int i = j; i >= 0; --i) {{
            double sum = i == j;
            for (int k = i + 1; k <= j; ++k) sum -= u[i * n + k] * v[k * n + j];
            v[i * n + j] = sum / u[i * n + i];
        }}
}}

extern "C" __global__ void combine(const Table table, const int* bad, const double* inverse) {{
    int block = blockIdx.x, m = matrix_of(table, block), n = table.width[m];
    int rows = rows_of(table, m, block), number = block - table.first[m];
    const double* v = inverse + table.offset[m] + (long long)number * n * n;
    float* out = (float*)table.out[m] + (long long)number * n * n;
    for (int at = threadIdx.x; at < n * n; at += blockDim.x) {{
        int i = at / n, j = at % n;
        double sum = 0;
        for (int k = i > j ? i : j; k < n; ++k) sum += v[i * n + k] * v[j * n + k];
        if (i >= rows || j >= rows) sum = i == j;
        out[at] = bad[block] ? (float)sqrt(-1.0) : (float)sum;
    }}
}}
"""


class Inverses:
    """The inversion kernels for one array library.

    Args:
        module: CuPy, or its stand-in.
        width (int): the width of the widest blocks.
        rounding (float): a pivot must exceed this multiple of the largest diagonal element of its
            block.
        least (float): the multiple of a diagonal's mean that is added to it if a shift is too
            small.
    """

    def __init__(self, module, width, rounding, least):
        self.module, self.width = module, width
        source = _SOURCE.format(most=MOST, threads=THREADS, rounding=rounding, least=least)
        self._measure, self._factor, self._combine = (
            module.RawKernel(source, name) for name in ("measure", "factor", "combine")
        )

    def of(self, factors):
        """Returns the inverses of the damped diagonal blocks of matrices, in float32.

        Args:
            factors: (matrix, damping, positions) for each; matrices are float32 and contiguous. The
                root of damping / positions is added to the diagonal. Damping and positions are
                numbers, or one-element GPU arrays of float64 and of float32.

        Returns:
            list of arrays (blocks, width, width).
        """
        results = [
            self.module.empty((count, width, width), numpy.float32)
            for count, width in (self._division(matrix) for matrix, _, _ in factors)
        ]
        start = elements = 0
        for index, result in enumerate(results):
            if index - start == MOST or index > start and elements + result.size > ELEMENTS:
                self._run(factors[start:index], results[start:index])
                start, elements = index, 0
            elements += result.size
        if factors:
            self._run(factors[start:], results[start:])
        return results

    def _division(self, matrix):
        size = matrix.shape[0]
        width = min(size, self.width)
        return -(-size // width), width

    def _run(self, factors, results):
        table, blocks, elements = _table(factors, results)
        module = self.module
        bad, sums = module.empty(blocks, numpy.int32), module.empty(blocks, numpy.float64)
        failures = module.zeros((TRIES, MOST), numpy.int32)
        upper, inverse = (module.empty(elements, numpy.float64) for _ in range(2))
        grid, threads = (blocks,), (THREADS,)
        self._measure(grid, threads, (table, bad, sums))
        for attempt in range(TRIES):
            arguments = (table, bad, sums, failures, upper, inverse, numpy.int32(attempt))
            self._factor(grid, threads, arguments)
        self._combine(grid, threads, (table, bad, inverse))


def _table(factors, results):
    """Returns the struct that the kernels read, and the numbers of blocks and elements of all
    matrices."""
    kind = numpy.dtype(
        [
            *((name, numpy.uint64, MOST) for name in ("matrix", "out", "damping", "positions")),
            *((f"{name}_value", numpy.float64, MOST) for name in ("damping", "positions")),
            ("offset", numpy.int64, MOST),
            *((name, numpy.int32, MOST) for name in ("size", "width", "first")),
            ("matrices", numpy.int32),
            ("blocks", numpy.int32),
        ],
        align=True,
    )
    table = numpy.zeros((), kind)
    table["matrices"] = len(factors)
    blocks = elements = 0
    for row, ((matrix, damping, positions), out) in enumerate(zip(factors, results, strict=True)):
        table["matrix"][row], table["out"][row] = matrix.data.ptr, out.data.ptr
        for name, value in (("damping", damping), ("positions", positions)):
            if isinstance(value, (int, float)):
                table[f"{name}_value"][row] = value
            else:
                table[name][row] = value.data.ptr
        table["size"][row], table["width"][row] = matrix.shape[0], out.shape[1]
        table["first"][row], table["offset"][row] = blocks, elements
        blocks += out.shape[0]
        elements += out.size
    table["blocks"] = blocks
    return table, blocks, elements
