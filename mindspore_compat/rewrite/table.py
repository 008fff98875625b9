"""The table that `print_node_tabulate` prints."""

import ast

_HEAD = ("node type", "name", "codes", "arg providers", "target users")


def text_of(statements):
    """Returns a table of Statements as text; each column is as wide as its longest entry."""
    rows = [_HEAD, *map(_row, statements)]
    widths = [max(len(row[column]) for row in rows) for column in range(len(_HEAD))]
    lines = [
        "  ".join(entry.ljust(width) for entry, width in zip(row, widths, strict=True)).rstrip()
        for row in rows
    ]
    return "\n".join([lines[0], "  ".join("-" * width for width in widths), *lines[1:]])


def _row(statement):
    providers = {
        key: (provider.name, output) for key, (provider, output) in statement.providers().items()
    }
    users = {
        output: [(user.name, key) for user, key in uses]
        for output, uses in statement.users().items()
    }
    code = ast.unparse(ast.fix_missing_locations(statement.code)).split("\n")[0]
    return (str(statement.kind), statement.name, code, str(providers), str(users))
