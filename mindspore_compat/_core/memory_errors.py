"""Names the operator that had no memory for its result."""


def name_operator(operator, error, replace=False):
    """Returns the MemoryError to raise instead of `error`. It contains the library's text, which
    states the requested size. An error that names an API is returned unchanged.

    Args:
        operator (str): the operator or public function, or "the gradient of" one.
        error (MemoryError): the original exception.
        replace (bool): whether a public function replaces the operator's name by its own.
    """
    text = getattr(error, "library_text", "") if replace else ""
    text = text or str(error)
    if text.startswith("For "):
        return error
    named = MemoryError(f"For '{operator}', there is not enough memory{text and ': '}{text}.")
    named.library_text = text
    return named
