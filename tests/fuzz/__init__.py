"""A fuzzer of readers that is guided by the lines of the package that an input reaches."""
