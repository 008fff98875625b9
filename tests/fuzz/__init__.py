"""A coverage-guided fuzzer of the functions that read files."""
