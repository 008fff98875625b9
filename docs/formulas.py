r"""Finds formulas in the prose of docstrings and writes them as LaTeX.

    typeset("Applies SiLU: x * sigmoid(x).") == r"Applies SiLU: :math:`x \sigma(x)`."

A formula consists of numbers, functions, single letters, Greek letters and the given names (those
of the parameters). Anything else ends it. Factors may stand side by side: `beta1 m` is a product,
and `a / b c` is `a c / b`; `W_i` and `x[i, j]` have subscripts. A
paragraph of formulas alone, separated by semicolons, is displayed with a line for each.
"""

import re

GREEK = """alpha beta gamma delta epsilon zeta eta theta kappa lambda mu nu xi pi rho sigma tau phi
    chi psi omega""".split()
WORDS_OF_FORMULAS = {"lr", "var", "decay"}
SHORT = {"eps": r"\epsilon", "lambd": r"\lambda", "inf": r"\infty"}
PLAIN = "exp log max min tanh cos sin".split()  # functions that LaTeX has
FUNCTIONS = {
    **{name: rf"\{name}" for name in PLAIN},
    **{name: rf"\operatorname{{{name}}}" for name in ("sign", "mean", "softmax", "round")},
    "sum": r"\sum",
    "sigmoid": r"\sigma",
}
AROUND = {"sqrt": (r"\sqrt{", "}"), "abs": ("|", "|"), "norm": (r"\lVert ", r"\rVert")}
TOKEN = re.compile(r"\d+(?:\.\d+)?(?:e-?\d+)?|[A-Za-z]\w*'?|\*\*|[-+*/^()\[\]|=,]")
# What follows a formula that is only a part of something longer, and what stands before one.
OPEN_ENDED = re.compile(r"\w|[\[(!]| *[-+*/=<>@]+ | *\w+\(|\)+ *[-+*/^@]|\)+ \w\b")
UNFINISHED = re.compile(r" [-+*/=<>@]+ ?\(?$|\)$|\w\($")
SUBSCRIPT = re.compile(r"[A-Za-z]_[A-Za-z]{1,2}")  # W_i
WORDS = {"a", "A", "I"}  # letters that are also words: no formula begins with them and a space


class NoFormula(Exception):
    """The text at this position does not continue a formula."""


class Parser:
    """Parses the longest formula at a position of a text.

    Args:
        text (str): the text.
        at (int): the position.
        names (Container[str]): the names that may occur besides letters.
    """

    def __init__(self, text, at, names):
        self.text, self.at, self.names = text, at, names
        self.end = at  # of the last token
        self.operators = 0
        self.depth = 0  # of brackets

    def peek(self):
        """Returns the next token as a match, or None."""
        spaces = len(self.text[self.at :]) - len(self.text[self.at :].lstrip(" "))
        return TOKEN.match(self.text, self.at + spaces)

    def take(self, *tokens):
        """Takes the next token if it is one of these; returns it, or None."""
        token = self.peek()
        if token is None or token[0] not in tokens:
            return None
        if (
            token[0] in "+-*/="
            and self.text[token.start() - 1 : token.end() + 1] != f" {token[0]} "
        ):
            return None  # a hyphen, or a path
        self.at = self.end = token.end()
        return token[0]

    def need(self, token):
        """Takes a token that must come."""
        if not self.take(token):
            raise NoFormula(token)

    def tried(self, parse):
        """Returns the result of `parse`, or None at the same position if no formula is there."""
        state = self.at, self.end, self.operators, self.depth
        try:
            return parse()
        except NoFormula:
            self.at, self.end, self.operators, self.depth = state
            return None

    def statement(self):
        """Parses an equation, or a sum."""
        left = self.sum()
        right = self.take("=") and self.tried(self.sum)
        return f"{left} = {right}" if right else left

    def sum(self):
        """Parses terms that are added or subtracted."""
        text, state = self.product(), (self.at, self.end)
        while sign := self.take("+", "-"):
            term = self.tried(self.product)
            if term is None:
                self.at, self.end = state
                break
            self.operators += 1
            text, state = f"{text} {sign} {term}", (self.at, self.end)
        return text

    def product(self):
        """Parses factors and divisors."""
        above, below = [self.signed()], []
        while True:
            state = self.at, self.end
            operator = self.take("*", "/")
            factor = self.tried(self.signed if operator else self.power)
            if factor is None:
                self.at, self.end = state
                break
            self.operators += operator is not None
            (below if operator == "/" else above).append(factor)
        if not below:
            return factors(above)
        return rf"\frac{{{bare(factors(above))}}}{{{bare(factors(below))}}}"

    def signed(self):
        """Parses a factor that may have a minus sign directly in front of it."""
        token = self.peek()
        if token is not None and token[0] == "-" and self.text[token.end()] not in " \n":
            self.at = self.end = token.end()
            return f"-{self.power()}"
        return self.power()

    def power(self):
        """Parses an atom that may have an exponent."""
        base = self.atom()
        if self.text[self.at : self.at + 1] == "!":
            self.at = self.end = self.at + 1
            base += "!"
        if self.take("^", "**"):
            self.operators += 1
            return f"{base}^{{{bare(self.signed())}}}"
        return base

    def atom(self):
        """Parses a number, a name, a call, an element, or a formula in brackets."""
        token = self.peek()
        if token is None:
            raise NoFormula
        if token[0] in "(|":
            self.take(token[0])
            inside = self.sum()
            self.need({"(": ")", "|": "|"}[token[0]])
            return rf"\left({inside}\right)" if token[0] == "(" else f"|{inside}|"
        word = token[0]
        after = self.text[token.end() : token.end() + 1]
        if word[0].isdigit():
            if after.isalpha():
                raise NoFormula
            self.at = self.end = token.end()
            return word
        if not word[0].isalpha():
            raise NoFormula
        if after == "(" and (word in FUNCTIONS or word in AROUND or len(word) == 1):
            self.at = token.end()
            return self.call(word)
        if not self.known(word):
            raise NoFormula
        self.at = self.end = token.end()
        if after == "[" and self.take("["):
            indices = [self.sum()]
            while self.take(","):
                indices.append(self.sum())
            self.need("]")
            return f"{symbol(word)}_{{{', '.join(indices)}}}"
        return symbol(word)

    def known(self, word):
        """Returns whether a word is a variable."""
        plain = word.rstrip("'0123456789")
        return (
            word in self.names
            or len(plain) == 1
            or plain in GREEK
            or word in {*SHORT, *WORDS_OF_FORMULAS}
            or SUBSCRIPT.fullmatch(word) is not None
        )

    def call(self, name):
        """Parses the arguments of a function."""
        self.operators += 1
        self.need("(")
        arguments = [self.sum()]
        while self.take(","):
            arguments.append(self.sum())
        self.need(")")
        inside = ", ".join(arguments)
        if name in AROUND:
            return inside.join(AROUND[name])
        return rf"{FUNCTIONS.get(name, name)}\left({inside}\right)"


def factors(parts):
    """Returns a product."""
    return parts[0] + "".join(
        (r" \cdot " if part[0].isdigit() else r" \, ") + part for part in parts[1:]
    )


def bare(text):
    """Returns a formula without the brackets around all of it."""
    inside = text.removeprefix(r"\left(").removesuffix(r"\right)")
    whole = text.startswith(r"\left(") and text.endswith(r"\right)")
    balance = lowest = 0
    for bracket in re.findall(r"\\left\(|\\right\)", inside):
        balance += 1 if bracket == r"\left(" else -1
        lowest = min(lowest, balance)
    return inside if whole and lowest == 0 else text


def symbol(word):
    """Returns a variable: a letter, a Greek letter, or a name; digits are an index."""
    if SUBSCRIPT.fullmatch(word):
        return "{}_{{{}}}".format(*word.split("_"))
    plain, index, prime = re.fullmatch(r"([A-Za-z_]\w*?)(\d*)('?)", word).groups()
    if plain in SHORT:
        text = SHORT[plain]
    elif plain in GREEK:
        text = rf"\{plain}"
    elif len(plain) == 1:
        text = plain
    else:
        text = r"\text{" + plain.replace("_", r"\_") + "}"
    return text + (f"_{{{index}}}" if index else "") + prime


def formula_at(text, at, names, least=1):
    """Returns (LaTeX, end) of the formula that begins at a position; None if there is none, or one
    with fewer than `least` operators and functions."""
    parser = Parser(text, at, names)
    latex = parser.tried(parser.statement)
    if latex is None or parser.operators < least or OPEN_ENDED.match(text, parser.end):
        return None
    return latex, parser.end


def typeset(paragraph, names=()):
    """Returns a paragraph of a docstring whose formulas are LaTeX.

    Args:
        paragraph (str): the paragraph; its lines are joined.
        names (Iterable[str]): the names of parameters; names that the text defines are added.
    """
    text = " ".join(paragraph.split())
    names = {*names, *re.findall(r"(\w+) = ", text)}
    statements = [part.strip(" .") for part in text.split(";")]
    lines = [formula_at(part, 0, names, len(statements) == 1) for part in statements]
    if all(line and line[1] == len(part) for line, part in zip(lines, statements)):
        shown = [latex.replace(" = ", " &= ", 1) for latex, _ in lines]
        return ".. math::\n\n   " + " \\\\\n   ".join(shown)
    written, at = "", 0
    for code in [*re.finditer(r"``.*?``|`[^`]*`", text), None]:
        written += _inline(text[at : code.start() if code else len(text)], names)
        if code:
            written, at = written + code[0], code.end()
    return written if ":math:" in written else paragraph


def _inline(text, names):
    """Returns prose without code whose formulas are LaTeX."""
    written, at = "", 0
    for start in re.finditer(r"(?<![\w.^*/'`\])|-])(?=[-\w(|])", text):
        before = text[: start.start()].rstrip()
        is_word = text[start.start() : start.start() + 2] in [f"{word} " for word in WORDS]
        if start.start() < at or is_word or UNFINISHED.search(before):
            continue
        found = formula_at(text, start.start(), names)
        if found and (text[found[1] : found[1] + 1] != ")" or before.endswith("(")):
            written += text[at : start.start()] + f":math:`{found[0]}`"
            at = found[1]
    return written + text[at:]
