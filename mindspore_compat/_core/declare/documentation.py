"""Generates the docstring of a declared operator from its body's docstring and its declaration.

The docstring of a body states what the operator computes, its shapes, and one example. The rest is
added at the first use of a public name: the rule and the default of each argument, the errors that
the rules raise, the other names of the operator and the page of MindSpore. Sections in the
docstring (`Args`, `Raises`) are kept and completed.

Examples use `ms` and `np`; the necessary imports are inserted before them.
"""

import ast
import inspect
import re

PAGES = "https://www.mindspore.cn/docs/en/r2.10.0/api_python/"
_FOLDERS = {
    "ops": "ops",
    "nn": "nn",
    "mint": "mint",
    "Tensor": "mindspore/Tensor",
    "numpy": "numpy",
}
_HEADING = re.compile(r"(Args|Inputs|Shapes|Returns|Raises|Examples?|Source|Note):(.*)")
_ENTRY = re.compile(r"    (\*{0,2}\w+)(?: \(([^)]*(?:\([^)]*\)[^)]*)*)\))?: *(.*)")
_WIDTH = 92
_PROMPT = ">>>"
_ORDER = (
    *("Args", "Inputs", "Shapes", "Outputs", "Returns"),
    *("Raises", "Note", "Example", "See Also", "Source"),
)
_OF_RESULTS = re.compile(r"(?<!\S)(?:The (?:\w+ )?results?|Both results|Returns)\b")

# The default description of a parameter, by its name.
_MEANINGS = {
    "input": "the input.",
    "x": "the input.",
    "input_x": "the input.",
    "other": "the second input.",
    "y": "the second input.",
    "axis": "the axis or axes along which it works; negative ones count from the end.",
    "dim": "the axis or axes along which it works; negative ones count from the end.",
    "dims": "the axes; negative ones count from the end.",
    "keep_dims": "whether the axes stay, with length 1.",
    "keepdims": "whether the axes stay, with length 1.",
    "keepdim": "whether the axes stay, with length 1.",
    "dtype": "the dtype to which the input is cast first; None keeps its own.",
    "inplace": "whether the result is also written into the input.",
    "name": "has no effect.",
    "alpha": "the factor `alpha` above.",
    "beta": "the factor `beta` above.",
    "value": "the number `value` above.",
    "weight": "the weights.",
    "bias": "the shifts that are added; None for none.",
    "gamma": "the factors.",
    "target": "what the input is compared with.",
    "labels": "what the input is compared with.",
    "logits": "the input.",
    "reduction": "'mean', 'sum' or 'none' of what is computed for each element.",
    "margin": "the margin of the loss.",
    "ignore_index": "a class that does not count.",
    "kernel_size": "the lengths of a window, or one for all axes.",
    "ksize": "the lengths of a window.",
    "stride": "the steps from window to window, or one for all axes.",
    "strides": "the steps from window to window.",
    "padding": "what is added around the input.",
    "pad": "what is added around the input.",
    "pad_mode": "how much is added around the input.",
    "pads": "what is added around the input.",
    "dilation": "the steps between the elements of a window.",
    "groups": "into how many groups the channels are divided.",
    "group": "into how many groups the channels are divided.",
    "data_format": "which axis holds the channels.",
    "ceil_mode": "whether windows that begin inside but end outside count.",
    "count_include_pad": "whether added zeros count in the means.",
    "return_indices": "whether the positions of the largest elements are returned too.",
    "divisor_override": "the divisor instead of the number of elements.",
    "output_size": "the lengths of the last axes of the result.",
    "align_corners": "whether the outermost samples of input and output coincide.",
    "eps": "a small number that is added, or bounds a divisor from below.",
    "epsilon": "a small number that is added, or bounds a divisor from below.",
    "n": "the number `n` above.",
    "k": "the number `k` above.",
    "p": "the number `p` above.",
    "s": "the lengths of the axes that are transformed; shorter cuts, longer adds zeros.",
    "norm": "which of the transform and its inverse is scaled: 'backward' the inverse, 'forward' "
    "the transform, 'ortho' both by the root.",
    "indices": "the positions.",
    "index": "the positions.",
    "mask": "where it works.",
    "segment_ids": "the segment to which each slice belongs.",
    "num_segments": "how many segments there are.",
    "shape": "the shape of the result.",
    "size": "the size of the result.",
    "offset": "which diagonal; 0 is the main one.",
    "diagonal": "which diagonal; 0 is the main one.",
    "dim1": "the first of two axes.",
    "dim2": "the second of two axes.",
    "dim0": "the first of two axes.",
    "upper": "whether the upper triangle is meant.",
    "training": "whether the layer is being trained.",
    "rounding_mode": "None, 'floor' or 'trunc'.",
    "largest": "whether the largest elements are taken, not the smallest.",
    "sorted": "whether the results come in order.",
    "descending": "whether large elements come first.",
    "rtol": "the tolerance relative to the second input.",
    "atol": "the absolute tolerance.",
    "equal_nan": "whether two NaN count as equal.",
    "min": "the lower bound; None for none.",
    "max": "the upper bound; None for none.",
    "dout": "the gradient of the output.",
    "dy": "the gradient of the output.",
    "x1": "the first input.",
    "x2": "the second input.",
    "input1": "the first input.",
    "input2": "the second input.",
}


def describe(op, path, *signatures):
    """Returns the docstring of one public name.

    Args:
        op (Op): the declaration.
        path (str): the public path, such as "mint.softmax".
        signatures: the parsed groups of its line: one of a function, two of a class.

    Returns:
        str.
    """
    sections = read_sections(inspect.cleandoc(op.body.__doc__ or ""))
    renamed = {
        feeds: name
        for signature in signatures
        for name, feeds in signature.feeds.items()
        if feeds != name != "self"
    }
    descriptions = {**_entries(sections.pop("Inputs", "")), **_entries(sections.pop("Args", ""))}
    parts = {key: _rename(text, renamed) for key, text in sections.items() if key != "Example"}
    errors = parts.get("Raises", "").splitlines()
    for heading, signature in zip(("Args", "Inputs"), signatures):
        rules = signature.rules()
        arguments = [
            _rename(_argument(signature, name, rules.get(name), descriptions), renamed)
            for name in signature.names
            if name != "self"
        ]
        parts[heading] = "\n".join(arguments)
        errors += _errors(signature, rules, parts.get("Raises", ""))
    if len(signatures) == 2:
        parts["Inputs"] = _as_list(parts["Inputs"])
        _divide_shapes(parts)
    parts["Raises"] = "\n".join(errors)
    parts["Example"] = with_imports(sections.get("Example", ""))
    parts["See Also"] = _other_names(op, path)
    parts["Source"] = page_of(path)
    blocks = [parts.get("", "")]
    blocks += [f"{key}:\n{parts[key]}" for key in _ORDER if parts.get(key)]
    return "\n\n".join(filter(None, blocks)) + "\n"


def read_sections(text):
    """Returns the prose of a docstring under "", and its sections by heading, without the
    heading."""
    sections, key = {"": []}, ""
    for line in text.splitlines():
        heading = _HEADING.fullmatch(line)
        if heading:
            key = {"Examples": "Example"}.get(heading[1], heading[1])
            sections[key] = [f"    {heading[2].strip()}"] if heading[2].strip() else []
        else:
            sections[key].append(line)
    return {key: "\n".join(lines).strip("\n") for key, lines in sections.items()}


def _entries(section):
    """Returns the descriptions in an `Args` section, by parameter."""
    entries, name = {}, None
    for line in section.splitlines():
        entry = _ENTRY.fullmatch(line)
        if entry:
            name = entry[1]
            entries[name] = entry[3]
        elif name:
            entries[name] += f"\n{line}"
    return entries


def _argument(signature, name, rule, descriptions):
    """Returns the line about one parameter: its rule, its meaning, its default."""
    default, feeds = signature.defaults.get(name), signature.feeds[name]
    kind = ", ".join(([rule.describe()] if rule else []) + (["optional"] if default else []))
    meaning = (
        descriptions.get(feeds)
        or descriptions.get(name)
        or _MEANINGS.get(feeds)
        or _MEANINGS.get(name)
    )
    head = f"    {name}{f' ({kind})' if kind else ''}:"
    text = meaning or f"see `{name}` above."
    text += f" Default: ``{ast.unparse(default)}``." if default else ""
    return f"{head} {text}" if "\n" in text else _wrap(head, text)


def _as_list(entries):
    """Returns entries of an `Args` section as a list with names in bold, which is the form of an
    `Inputs` section."""
    return re.sub(r"^    (\w+)( \(.*?\))?:", r"    - **\1**\2:", entries, flags=re.M)


def _divide_shapes(parts):
    """Moves the sentences about the results of a class from `Shapes` to `Outputs`."""
    text = " ".join(parts.get("Shapes", "").split())
    result = _OF_RESULTS.search(text)
    if "Returns" in parts:
        parts["Outputs"] = parts.pop("Returns")
    elif result:
        inputs, outputs = text[: result.start()].strip(), text[result.start() :]
        parts["Shapes"] = inputs and _wrap("   ", inputs, indent=3)
        parts["Outputs"] = _wrap("   ", outputs, indent=3)


def _wrap(head, text, indent=7):
    """Returns `head` followed by `text`, wrapped at spaces to lines of at most `_WIDTH`
    characters; all but the first are indented by `indent` spaces and one more."""
    lines, line = [], head
    for word in text.split(" "):
        if len(line) + len(word) >= _WIDTH:
            lines.append(line)
            line = " " * indent
        line += f" {word}"
    return "\n".join([*lines, line])


def _errors(signature, rules, descriptions):
    """Returns the lines about errors that the rules raise but the docstring does not mention."""
    rows = [
        f"    {kind}: if `{name}` {phrase}."
        for name, rule in rules.items()
        for kind, phrase in rule.raises()
        if not (descriptions and re.search(rf"    {kind}:.*\b{name}\b", descriptions))
    ]
    if signature.same_dtype():
        names = ", ".join(f"`{name}`" for name in signature.same_dtype())
        rows.append(f"    TypeError: if {names} have different dtypes.")
    return rows


def _rename(text, names):
    """Renames the parameters of the body, in backquotes, to the names of a signature."""
    return re.sub(r"`(\w+)`", lambda match: f"`{names.get(match[1], match[1])}`", text)


def with_imports(example):
    """Prefixes an example with the imports that it needs."""
    import_lines = [
        line
        for line, pattern in (
            ("import numpy as np", r"\bnp\."),
            ("import mindspore_compat as ms", r"\bms\."),
        )
        if re.search(pattern, example) and line not in example
    ]
    return (
        "\n".join([*(f"    {_PROMPT} {line}" for line in import_lines), example]) if example else ""
    )


def _other_names(op, path):
    """Returns the other public names of an operator."""
    names = dict.fromkeys(line.split("(", 1)[0] for line in op.lines)
    others = [name for name in names if name != path and "__" not in name]
    return f"    {', '.join(f'`{name}`' for name in others)}" if others else ""


def page_of(path):
    """Returns the URL of MindSpore's documentation page for a public name; "" if it has none."""
    area, _, name = path.rpartition(".")
    folder = _FOLDERS.get(area.partition(".")[0])
    if folder is None or name.startswith("_") or area.startswith("ops."):
        return ""
    return f"    {PAGES}{folder}/mindspore.{path}.html"
