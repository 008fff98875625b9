"""Names of the inputs of an ONNX file."""

import inspect


def input_names_of(net, graph, input_names):
    """Returns the names of a graph's inputs: the given ones, then the parameters of `construct`."""
    parameters = list(inspect.signature(getattr(net, "construct", net)).parameters.values())
    reserved = {*input_names, *(name for _, name, _ in graph.parameters)}
    names = list(input_names[: len(graph.inputs)])
    for value, _, _ in graph.inputs[len(names) :]:
        at, _, rest = value.name[1:].partition("_")  # x1, or x1_0 for a member of a tuple
        name = _parameter_at(parameters, int(at)) + (rest and f"_{rest}")
        while name in reserved:
            name += "_"
        reserved.add(name)
        names.append(name)
    return names


def _parameter_at(parameters, index):
    last = parameters[min(index, len(parameters) - 1)]
    if last.kind is last.VAR_POSITIONAL:
        return f"{last.name}_{index - parameters.index(last)}"
    return last.name
