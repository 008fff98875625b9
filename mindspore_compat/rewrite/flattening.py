"""Expands statements into simple ones that each do one thing to names and constants.

Worked example. `x = self.relu(self.fc1(x) + 1)` becomes

    fc1_var = self.fc1(x)
    add_var = fc1_var + 1
    x = self.relu(add_var)

Expressions that are not always evaluated exactly once stay in place: the second operand of `and`, a
branch of a conditional expression, the test of a `while`, the body of a comprehension.
"""

import ast

_KEPT_WHOLE = (ast.NamedExpr, ast.Await, ast.Yield, ast.YieldFrom)


def flatten(statement, new_name):
    """Returns the simple statements into which a statement is expanded.

    Args:
        statement (ast.stmt): the statement; parts of it are reused.
        new_name (Callable): returns an unused variable name, given a preferred one.
    """
    headers = [
        getattr(statement, field, None) for field in ("value", "test", "iter", "targets", "target")
    ]
    parts = [header for header in headers if isinstance(header, ast.expr)]
    if any(isinstance(node, _KEPT_WHOLE) for part in parts for node in ast.walk(part)):
        return [statement]
    expansion = _Expansion(new_name)
    expand = {
        ast.Assign: expansion.of_assign,
        ast.Return: expansion.of_return,
        ast.If: expansion.of_if,
        ast.For: expansion.of_for,
    }.get(type(statement))
    if expand is None:
        return [statement]
    last = expand(statement)
    return [*expansion.before, *last]


def is_path(expression):
    """Returns whether an expression is a name or attributes of a name: `x`, `self.conv`."""
    while isinstance(expression, ast.Attribute):
        expression = expression.value
    return isinstance(expression, ast.Name)


def last_name(expression):
    """Returns the last name of a path or attribute: "conv" of `self.conv`; None of anything
    else."""
    if isinstance(expression, ast.Name):
        return expression.id
    return expression.attr if isinstance(expression, ast.Attribute) else None


def assignment(name, value):
    """Returns a statement that assigns a value to a name."""
    return ast.Assign([ast.Name(name, ast.Store())], value, lineno=0)


def operator_name(operator):
    """Returns the name of an operator: "add", "usub", "gt"."""
    return type(operator).__name__.lower()


class _Expansion:
    """The expansion of one statement; `before` collects the preceding statements."""

    def __init__(self, new_name):
        self.before = []
        self._new_name = new_name

    # statements: each method returns the statements that come last

    def of_assign(self, statement):
        *others, target = statement.targets
        if others and not isinstance(target, ast.Name):
            return [statement]
        statement.targets = [target]
        self._open(statement.value)
        copies = [
            ast.Assign([other], ast.Name(target.id, ast.Load()), lineno=0) for other in others
        ]
        return [statement, *copies[::-1]]

    def of_return(self, statement):
        if statement.value is not None:
            statement.value = self._simple(statement.value)
        return [statement]

    def of_if(self, statement):
        statement.test = self._simple(statement.test)
        return [statement]

    def of_for(self, statement):
        statement.iter = self._simple(statement.iter)
        return [statement]

    # expressions

    def _simple(self, expression):
        """Returns a name that stands for the expression, or the expression if it is simple
        itself."""
        wish = _wished_name(expression)
        if wish is None and not isinstance(expression, ast.Attribute):
            return expression
        self._open(expression)
        if wish is None:
            return expression
        name = self._new_name(wish + "_var")
        self.before.append(assignment(name, expression))
        return ast.Name(name, ast.Load())

    def _expand_all(self, expressions):
        expressions[:] = [self._simple(expression) for expression in expressions]

    def _open(self, expression):
        """Makes the parts of an expression simple."""
        opening = getattr(self, "_open_" + type(expression).__name__.lower(), None)
        if opening is not None:
            opening(expression)

    def _open_call(self, call):
        call.func = self._simple(call.func)
        self._expand_all(call.args)
        for keyword in call.keywords:
            if keyword.arg is not None:
                keyword.value = self._simple(keyword.value)

    def _open_binop(self, operation):
        operation.left = self._simple(operation.left)
        operation.right = self._simple(operation.right)

    def _open_unaryop(self, operation):
        operation.operand = self._simple(operation.operand)

    def _open_boolop(self, operation):
        operation.values[0] = self._simple(operation.values[0])

    def _open_compare(self, operation):
        operation.left = self._simple(operation.left)
        operation.comparators[0] = self._simple(operation.comparators[0])

    def _open_tuple(self, display):
        self._expand_all(display.elts)

    _open_list = _open_tuple

    def _open_dict(self, display):
        if None not in display.keys:
            self._expand_all(display.values)

    def _open_attribute(self, attribute):
        attribute.value = self._simple(attribute.value)

    def _open_subscript(self, subscript):
        if isinstance(subscript.value, ast.Call):
            subscript.value = self._simple(subscript.value)


def _wished_name(expression):
    """Returns the preferred name of a variable for an expression, or None if the expression stays
    in place.
    """
    if isinstance(expression, ast.Call):
        return last_name(expression.func) or "call"
    if isinstance(expression, (ast.BinOp, ast.UnaryOp, ast.BoolOp)):
        return operator_name(expression.op)
    fixed = {
        ast.Compare: "compare",
        ast.Tuple: "tuple",
        ast.List: "list",
        ast.Dict: "dict",
        ast.Subscript: "subscript",
        ast.IfExp: "ifexp",
    }
    return fixed.get(type(expression))
