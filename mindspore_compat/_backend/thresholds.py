"""The one table of thresholds: the sizes at which each method is used.

`Least` has the smallest sizes at which a compiled loop, threads or another method on the host is
worth its cost, `Most` the largest. Each line gives the unit and the reason. Thresholds are read at
each choice, so a change has effect at once: the tests' option `--compiled` sets all of `Least` to
1, and every array that is not empty goes to the loops.

The sizes of the pieces that work is cut into are not here. They determine the rounding of sums, and
are defined beside their loops.
"""


class Least:
    """Minimum sizes: each method is used from its size on."""

    # Selection, conversion and sums.
    WHERE = 1 << 14  # elements: a branch for each takes longer than arithmetic on masks
    KEEP = 1 << 11  # elements: below, one call of NumPy costs less than arithmetic on masks
    WHERE_LOOP = 1 << 16  # elements: below, arithmetic on masks takes no longer than a loop
    CAST = (1 << 12) + 1  # elements: below, NumPy converts float16 as fast
    CUMSUM = 1 << 14  # elements: below, NumPy is as fast
    CUMSUM_BESIDE = 1 << 8  # adjacent elements: worth a call for each row
    CUMSUM_STACK = 1 << 13  # elements of a stack of rows: worth a call for each row
    EXTREMES_SO_FAR = 1 << 8  # elements: array functions take six passes
    CUMPROD = 1 << 10  # elements: below, NumPy is as fast
    RECURRENCE_ALONG = 1 << 7  # elements: array functions take several microseconds per step
    PROD = 1 << 12  # elements of rows: below, a call costs as much as it saves
    CTC = 1 << 6  # states at all times: a step of array functions takes 20 microseconds
    JOINED_ROWS = 1 << 10  # rows: below, the views of rows cost as much as they save
    ARGMAX = 1 << 14  # elements: below, the copy that NumPy makes costs less than a call
    ARGMAX_BESIDE = 16  # elements of the last dimension: fewer do not fill a vector
    REDUCE = 1 << 20  # bytes: below, NumPy sums from the cache
    REDUCE_LOOP = 1 << 20  # bytes: the compiled loop sums faster, however long the rows are
    REDUCE_THREADS = 1 << 25  # bytes: below, NumPy nearly reaches the memory bandwidth
    SUM_LOOP = 1 << 17  # elements: below, the loop is not faster than NumPy
    EXTREME_ROWS = 1 << 8  # rows that NumPy need not start its loop for: two calls more cost less
    ROWS_LOOP = 1 << 16  # elements: the same for the sum or the extreme of each row

    # Gather and scatter of rows and elements.
    TAKE_ROWS = 1 << 18  # elements of the result: threads pay
    TAKE_COLUMNS = 1 << 16  # elements of the array: below, a call costs as much as it saves
    TAKE_INDICES = (1 << 8) + 1  # indices: NumPy takes fewer rows, however long they are
    ROW = 16  # elements of a row: worth a search of all indices by each piece
    ALONG_AXIS = 1 << 11  # indices: below, NumPy takes from flat memory as fast
    PICK_COLUMN = 1 << 9  # rows of which one column is taken: below, an index array costs less
    MASK = 1 << 12  # elements of a mask: below, NumPy's branches cost less than positions
    ADD_ALONG = 1 << 8  # indices: below, NumPy adds in flat memory as fast
    ADD_SLICES = 1 << 8  # elements of the slices: NumPy adds at an index for each
    SUM_SLICES = 1 << 9  # elements of the slices: worth that loop instead of NumPy's `add.at`
    SET_ALONG = 1 << 11  # indices: below, NumPy writes in flat memory as fast
    ADD_AT = (1 << 12) + 1  # elements: worth a sparse matrix, or a single flat index
    REDUCED_ROW = 1 << 3  # elements of a row: worth whole rows instead of NumPy's `maximum.at`
    REDUCED_TURN = 1 << 9  # elements for each time that the most frequent row occurs: worth that
    APPLY_TAPS = 1 << 14  # products: below, a call costs as much as it saves

    TILE_ROW = 1 << 6  # elements of a row: NumPy repeats the parts of a shorter one faster
    ONE_HOT = 1 << 13  # elements of the result: a comparison of each costs more than a scatter
    GRID_POINTS = 1 << 6  # samples: array functions take tens of microseconds

    # Elementwise functions that threads share.
    SPACE = 1 << 17  # bytes: smaller work ends before another thread wakes
    UFUNC_BY_MEMORY = 1 << 21  # bytes, for ufuncs limited by memory bandwidth
    UFUNC_BY_PROCESSOR = 1 << 17  # bytes, for ufuncs that take some nanoseconds for each element
    UFUNC = 1 << 20  # bytes, for ufuncs between these two, and for copies

    BROADCAST = 1 << 17  # elements of the result: below, a call costs as much as it saves
    BROADCAST_ROW = 1 << 6  # elements of a row: NumPy computes shorter ones as fast

    NEIGHBOURS = 1 << 15  # elements: below, a call costs as much as it saves
    DIVIDE = 1 << 12  # elements: below, NumPy's reciprocal costs less than a division by a number

    LOGADDEXP = 1 << 8  # elements: below, a call costs as much as it saves
    TOP_K = 1 << 5  # elements: array functions take ten calls
    TOP_K_COLUMNS = 1 << 9  # elements of a row per requested one: a partition of few columns pays
    TRIGAMMA = 1 << 8  # elements: SciPy takes as long for fewer as the calls of the formula
    SPECIAL = 1 << 13  # elements without loops: SciPy takes no longer than the calls of a formula
    POLAR = 1  # numbers: array functions take tens of microseconds
    TWISTER = 1 << 11  # random words: below, NumPy's engine starts faster
    REMAINDER = 1 << 9  # elements: below, a call costs as much as it saves

    # Products of matrices.
    PRODUCT = (1 << 18) + 1  # multiplications: OpenBLAS would use several threads of its own
    PRODUCT_LOOP = 1 << 22  # multiplications: packing the right side once pays
    PRODUCT_LOOP_OF_FEW = 1 << 21  # the same for few rows, for which threads pack columns
    PRODUCT_BROAD = 192  # columns: enough panels for each thread to pack its own
    PRODUCT_HALVES = 1 << 23  # multiplications: a half is worth another thread
    PRODUCT_STRIP = 256  # rows or columns of a strip: each packs the other operand again
    PRODUCT_TURNED = 1 << 19  # multiplications: the product of the transposes is faster
    STACK_LOOP = 1 << 21  # multiplications: below, a call costs as much as it saves
    STACK_ROWS = 8  # rows of a product: fewer leave tiles empty
    STACK_HALVES = 32  # rows of each product of a stack that is cut in halves
    BETWEEN_BLOCKS = 1 << 20  # multiplications: faster than NumPy's products of blocks

    # Convolution and pooling.
    CONVOLVE = 1 << 18  # multiplications: below, a call costs as much as it saves
    CONVOLVE_PANEL_WINDOWS = 4  # windows: with fewer, panels are mostly empty
    CONVOLVE_DEEP = 128  # products of a sum: it may be written with the axes exchanged
    COLUMNS_FIRST = 2048  # windows: the gradient of the weights pays for a transposition
    DEPTHWISE = 1 << 13  # elements of all images: below, a call costs as much as it saves
    POOL = 1 << 9  # elements of all images: below, a call costs as much as it saves

    # Bodies of operators, training steps and recurrent layers.
    BODY = 1 << 13  # elements: below, a call costs as much as it saves
    BODY_ROW = 1 << 10  # elements of a body over whole rows: the same
    BODY_POINT = 1 << 9  # elements of a body without rows: the same, for a body of many steps
    BODY_WORK = 1 << 12  # elements times the steps of such a body: each step is a call of NumPy
    BODY_NORMAL = 1 << 9  # elements that are standardized: array functions take ten calls
    BODY_RUN = 16  # contiguous elements of a row: fewer do not fill a vector
    RECURRENCE = 1 << 18  # multiplications of all steps: below, a call costs as much as it saves
    RECURRENCE_ROWS = 16  # rows of all steps: with fewer, packing the weight does not pay
    UPDATE = 1 << 13  # elements of an array: worth compiling the loop of an optimizer
    FUSED_STEPS = 1 << 10  # elements: below, many calls cost no more than calling a loop
    FUSED_CALLS = 1 << 14  # elements: the same for two calls
    FUSED_CALL = 1 << 18  # elements: even a single addition gains by threads
    JOINED_PRODUCTS = 4  # products of a sum that becomes one product
    JOINED_WORK = 1 << 18  # multiplications of all of them: below, the sum is unchanged


class Most:
    """Maximum sizes: each method is used up to its size."""

    REDUCE_NARROW = 64  # elements of rows: products with ones are faster, on one thread too
    SUM_ROW = 1 << 13  # elements of a row whose sums stay in the cache
    POWER_FACTORS = 4  # factors of a product that stands for a power: each is rounded
    ALONG_FLAT = 1 << 13  # indices: with more, NumPy's own index arrays cost less than checks
    MASK_SHARE = 7 / 8  # the share of True in a mask: with more, branches are predictable
    PAD_BLOCKS = 64  # blocks of an array and its padding: each costs some calls
    TOP_K_LOOP = 1 << 14  # elements of a row times k: each element may displace k others
    TOP_K_SORT = 64  # elements of a row: a stable sort takes no longer than a partition
    TOP_K_SHARE = 4  # a divisor: up to this fraction of an axis, a partition is worth its cost
    TAPS_WHOLE = 64  # rows or columns per nonzero weight in a row of a sparse matrix
    UPDATE_COPIED = 6144  # elements: gathering costs less than updating each array in place

    PRODUCT_FEW = 256  # rows: each thread packs its own columns
    PRODUCT_TURNED_ROWS = 32  # rows: the product of the transposes is faster, in float32
    PRODUCT_FLAT = 16  # rows: BLAS takes longer to pack the columns than to multiply them
    PRODUCT_UNPACKED = 10**6  # multiplications: OpenBLAS packs no operand
    STACK_RIGHT = 1 << 16  # elements of a right side, which stays in a core's cache
    STACK_COPIED = 256  # elements of copied rows: with more, a library copies faster

    CONVOLVE_FEW_WINDOWS = 500  # windows: packing weights costs more; twice as many of large ones
    CONVOLVE_WEIGHTS = 1 << 14  # weights for each of these windows, if their gradient is taken
    CONVOLVE_WEIGHTS_OF_PRODUCT = 1 << 12  # the same if images are copied for one product alone
    CONVOLVE_COPIED = 1 << 22  # elements of the copied windows
    CONVOLVE_COPIED_FOR_PRODUCT = 1 << 20  # the same for one product alone
    CONVOLVE_NARROW = 27  # columns of a result: with more, few positions lie between its rows
    CONVOLVE_ROW = 1 << 21  # elements of one row of all channels; some rows are copied at once
    CONVOLVE_SMALL = 1 << 16  # weights of a group that are small matrices
    WINOGRAD_SAVED = 96  # channels times filters per saved multiplication
    WINOGRAD_ROW = 1 << 20  # elements of one row of all channels and filters
    COLUMNS = 1 << 12  # elements of one image's columns, if windows do not overlap
    JOINED_ROW = 512  # bytes of a row: NumPy copies longer ones as fast
    POOL_PADDED = 1 << 14  # elements of all images that are padded for the loop of the maximum
    POOL_POSITIONS = 16  # positions of a window, for which the loop is unrolled

    RECURRENCE_WEIGHT = 1 << 18  # elements: with more, a product for each step is as fast
    FUSED_CALLS = 24  # calls of one loop
    JOINED_OPERANDS = 4  # elements of the operands of a joined sum, per element of the weight
