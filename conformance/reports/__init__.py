"""Reports on results: tables, a page, comparisons of runs, coverage, plain test files."""
