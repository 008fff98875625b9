"""From which size on, and up to which, each method is used: the one table of thresholds.

`Least` has the sizes from which on a compiled loop, threads or another method of the host pays;
`Most` has those up to which it does. Each line gives the unit and the reason. A threshold is read
at each choice, so whoever sets one decides from then on: the tests' option `--compiled` sets all of
`Least` to 1, and every array that is not empty goes to the loops.

The sizes of the pieces that work is cut into are not here. They decide the bits of sums, and stand
with the loops that they belong to.
"""


class Least:
    """Sizes from which on a method is used."""

    # Elements that are chosen, converted and summed.
    WHERE = 1 << 14  # elements: a branch for each takes longer than arithmetic on masks
    WHERE_LOOP = 1 << 16  # elements: below, arithmetic on masks takes no longer than a loop
    CAST = (1 << 12) + 1  # elements: below, NumPy converts float16 as fast
    CUMSUM = 1 << 14  # elements: below, NumPy is as fast
    CUMSUM_BESIDE = 1 << 8  # elements beside each other: pays for a call for each row
    CUMSUM_STACK = 1 << 13  # elements of a stack of rows: pays for a call for each row
    ARGMAX = 1 << 14  # elements: below, the copy that NumPy makes costs less than a call
    ARGMAX_BESIDE = 16  # elements of the last dimension: fewer do not fill a vector
    REDUCE = 1 << 20  # bytes: below, NumPy sums from the cache
    REDUCE_LOOP = 1 << 21  # bytes: the compiled loop sums faster, however long the rows are
    REDUCE_THREADS = 1 << 25  # bytes: below, NumPy reads memory nearly as fast as it is
    SUM_LOOP = 1 << 17  # elements: below, the loop is not faster than NumPy

    # Rows and elements that are taken or added at indices.
    TAKE_ROWS = 1 << 18  # elements of the result: threads pay
    TAKE_INDICES = (1 << 8) + 1  # indices: fewer rows are taken by NumPy, however long they are
    ROW = 16  # elements of a row: pays for looking through the indices in each piece
    ALONG_AXIS = 1 << 12  # indices: a loop costs less than NumPy's index arrays
    ADD_AT = (1 << 12) + 1  # elements: pays for a sparse matrix, or for a single flat index

    # Functions of single elements that threads share.
    SPACE = 1 << 17  # bytes: less is done before another thread wakes
    UFUNC_BY_MEMORY = 1 << 21  # bytes, of ufuncs for which memory sets the time
    UFUNC_BY_PROCESSOR = 1 << 17  # bytes, of ufuncs that take some nanoseconds for each element
    UFUNC = 1 << 20  # bytes, of ufuncs between these two, and of copies

    # Products of matrices.
    PRODUCT = (1 << 18) + 1  # multiplications: OpenBLAS would use several threads of its own
    PRODUCT_LOOP = 1 << 22  # multiplications: laying the right side out once pays
    PRODUCT_LOOP_OF_FEW = 1 << 21  # the same for few rows, for which threads lay out columns
    PRODUCT_BROAD = 192  # columns: enough panels for threads to lay out themselves
    PRODUCT_HALVES = 1 << 23  # multiplications: a half is worth another thread
    PRODUCT_STRIP = 256  # rows or columns of a strip: each packs the other operand again
    PRODUCT_TURNED = 1 << 19  # multiplications: the product of the transposes is faster
    STACK_LOOP = 1 << 21  # multiplications: below, a call costs as much as it saves
    STACK_ROWS = 8  # rows of a product: fewer leave tiles empty
    STACK_HALVES = 32  # rows of a product of a stack that is cut in halves
    BETWEEN_BLOCKS = 1 << 20  # multiplications: faster than NumPy's products of blocks

    # Convolution and pooling.
    CONVOLVE = 1 << 18  # multiplications: below, a call costs as much as it saves
    CONVOLVE_PANEL_WINDOWS = 4  # windows: panels of fewer are mostly empty
    CONVOLVE_DEEP = 128  # products of a sum: it may be written with the axes exchanged
    COLUMNS_FIRST = 2048  # windows: the gradient of the weights pays for a transposition
    DEPTHWISE = 1 << 13  # elements of all images: below, a call costs as much as it saves
    POOL = 1 << 13  # elements of all images: below, a call costs as much as it saves

    # Bodies of operators, steps of training and recurrences.
    BODY = 1 << 13  # elements: below, a call costs as much as it saves
    BODY_RUN = 16  # elements of a row that lie together: fewer do not fill a vector
    RECURRENCE = 1 << 18  # multiplications of all steps: below, a call costs as much as it saves
    RECURRENCE_ROWS = 16  # rows of all steps: fewer do not pay for laying out the weight
    UPDATE = 1 << 13  # elements of an array that has the loop of an optimizer compiled
    FUSED_CALLS = 1 << 14  # elements: below, calling a loop costs what it saves
    FUSED_CALL = 1 << 18  # elements: even a single addition gains by threads
    JOINED_PRODUCTS = 4  # products of a sum that becomes one product
    JOINED_WORK = 1 << 18  # multiplications of them all: below, the sum stays as it is


class Most:
    """Sizes up to which a method is used."""

    REDUCE_NARROW = 64  # elements of rows: products with ones are faster, on one thread too
    SUM_ROW = 1 << 13  # elements of a row whose sums stay in the cache
    POWER_FACTORS = 4  # factors of a product that stands for a power: each is rounded
    PAD_BLOCKS = 64  # blocks of an array and its padding: each costs some calls
    TOP_K_SHARE = 4  # a divisor: up to this part of an axis a partition is worth its comparisons
    UPDATE_COPIED = 6144  # elements: gathering costs less than updating each array in place

    PRODUCT_FEW = 256  # rows: threads lay columns out themselves
    PRODUCT_TURNED_ROWS = 32  # rows: the product of the transposes is faster, in float32
    PRODUCT_UNPACKED = 10**6  # multiplications: OpenBLAS packs no operand
    STACK_RIGHT = 1 << 16  # elements of a right side, which stays in a core's cache
    STACK_COPIED = 256  # elements of rows that are copied: of more, a library copies better

    CONVOLVE_FEW_WINDOWS = 500  # windows: packing weights costs more; twice as many of large ones
    CONVOLVE_WEIGHTS = 1 << 14  # weights for each of these windows, where their gradient is taken
    CONVOLVE_WEIGHTS_OF_PRODUCT = 1 << 12  # the same where one product alone has images copied
    CONVOLVE_COPIED = 1 << 22  # elements of the windows that are copied
    CONVOLVE_COPIED_FOR_PRODUCT = 1 << 20  # the same for one product alone
    CONVOLVE_NARROW = 27  # columns of a result: of more, few positions lie between its rows
    CONVOLVE_ROW = 1 << 21  # elements of one row of all channels, of which some are copied at once
    CONVOLVE_SMALL = 1 << 16  # weights of a group that are small matrices
    WINOGRAD_SAVED = 96  # channels times filters for each multiplication that is saved
    WINOGRAD_ROW = 1 << 20  # elements of one row of all channels and filters
    COLUMNS = 1 << 12  # elements of the columns of one image: of more, array functions copy as fast
    POOL_POSITIONS = 16  # positions of a window, which are written out

    RECURRENCE_WEIGHT = 1 << 18  # elements: of more, a product for each step is as fast
    FUSED_CALLS = 24  # calls of one loop
    JOINED_OPERANDS = 4  # elements of the operands of a joined sum, for each of the weight
