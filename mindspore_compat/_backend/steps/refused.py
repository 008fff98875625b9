"""The exception `Refused`, and the reasons why a step cannot be captured or recorded.

A refused step still computes its results, operator by operator. These refuse it:

* common/_graph_mode/reachable.py and common/_graph_mode/python_state.py, before the step runs:
  `Refused` is raised for arguments, hooks and Python objects that a replay cannot respect.
* `Capture.refuse` (cuda_graph.py) and common/_graph_mode/device_step.py, during a capture on a
  GPU: `Refused` is raised at once, and the step runs again.
* `StepRecorder.refuse` (recording.py), during a recording on the host. Recorded arrays
  (recorded_array.py) call it when values are read. It notes the first reason and the step goes on;
  common/_graph_mode/host_step.py then raises `Refused` with the results.

`CapturedStep` in common/_graph_mode/steps.py catches `Refused`. It logs the reason once, and runs
all later calls of the step operator by operator.
"""


class Refused(RuntimeError):
    """Raised with the reason why a step cannot be captured or recorded.

    Attributes:
        results (tuple): what the step returned, as its only element, if it has run meanwhile.
    """

    def __init__(self, reason, results=None):
        super().__init__(reason)
        self.results = results


class Reason:
    """The texts of the reasons why a step is refused. Each begins with a noun and completes a
    message that ends in "because of". `{}` stands for a name or for the message of an error."""

    # Arguments and results.
    ARGUMENT_TYPE = "an argument of type '{}'"
    ARGUMENT_WRITTEN = "an argument that the step writes into"
    RESULT_TYPE = "a result of type '{}'"
    RESULT_OF_HOST = "a result that is computed on the host"
    RESULT_UNRELATED = "a result that does not follow from its inputs"

    # Values that are read, and shapes or data that do not come from recorded calls.
    VALUE_READ = "a value that it reads"
    VALUE_COMPUTED = "a Python value that it computes of Tensors"
    SHAPE_OF_VALUES = "shapes that follow from values"
    HOST_DATA = "data of the host that it makes a Tensor of"
    HOST_DATA_ASSIGNED = "data of the host that it assigns"
    UNREACHABLE_TENSORS = "Tensors that it reaches by other ways"
    CLOSURE = "a closure over values that it computes"
    OWN_FUNCTIONS = "functions of its own that compute on arrays"
    UPDATE_OUTSIDE = "an update outside of an optimizer"

    # Random numbers.
    HOST_DRAWS = "random numbers that it draws on its own"
    NUMPY_DRAWS = "random numbers that are drawn on the host"
    UNUSUAL_DRAWS = "random numbers other than uniform ones of float32"
    NEW_DRAWS = "random numbers that the rehearsal did not draw"
    RESTARTED_STREAM = "a random stream that is restarted in the step"

    # Memory of the host, for a CUDA graph.
    HOST_COPY = "a copy from the host's memory"
    HOST_NUMBER = "a number of the host that the rehearsal did not read"
    HOST_TENSOR = "'{}', which lies on the host"
    HOST_WRITTEN = "'{}', which is written on the host"
    DEVICE_TENSORS = "Tensors that do not lie on the host"

    # Parameters.
    PARAMETER_CHANGES = "'{}', whose shape or dtype changes"
    PARAMETER_UNREACHABLE = "'{}', which the step reaches by other ways"
    PARAMETERS_ASSIGNED = "parameters that are assigned between its steps"
    SPARSE_GRADIENTS = "gradients that are sparse"

    # Python that a replay would skip, or whose state cannot be compared.
    HOOKS = "hooks of '{}'"
    GRADIENT_HOOK = "a hook on a gradient"
    GRADIENT_FUNCTION = "a function that gradients pass through"
    SUMMARY = "a summary"
    INSTRUCTION = "'{}' in its Python"
    SLOTS = "the slots of '{}', which it can reach"
    HIDDEN_STATE = "'{}' that it can reach, whose state is hidden"
    NUMPY_ARRAY = "the NumPy array '{}' that it can reach"
    INCOMPARABLE = "an object that cannot be compared ({})"
    STATE_CHANGED = "attributes, lists or random numbers of Python that it changes"
    SURROUNDINGS_CHANGE = "what it relies on, which changes between its steps"
    RANKS = "the exchange between processes"
    OVERFLOW_STATUS = "a status of overflows that is read"

    # Limits and errors.
    MANY_OBJECTS = "the many objects that it can reach"
    MANY_CALLS = "its many operations"
    ERROR = "an error"
    ERROR_OF_STEP = "an error ({})"
    WAIT = "a wait for the GPU, or a value read from it ({})"
