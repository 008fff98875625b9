"""Checks that specs and answers contain only names, numbers and short texts: no prose, no source
code, no path of a machine.

Documentation text and code are under copyright and are not stored. Names, numbers and short texts
are facts and may be.
"""

import re

WORDS = 12  # the maximum in one sentence
_WORD = r"[A-Za-z][A-Za-z'’-]*"
_SENTENCE = re.compile(rf"(?<![A-Za-z'’-]){_WORD}(?:,? {_WORD}){{{WORDS}}}")
_FOREIGN = re.compile(
    r">>>|\n|\\n|\bSupported Platforms|\.\. \w+::|:(?:math|class|func|meth):`"  # markup
    r"|(?:^|['\"])(?:from [\w.]+ )?(?:import|def|class) \w|\bself\.\w+ = "  # source code
    r"|(?<![\w.])/(?:root|home|Users)/|site-packages"  # a path of a machine
)


def foreign(text):
    """Returns the part of a text that is not a fact: a sentence of more than twelve words,
    documentation markup, a line of source, or a path; None if there is none.
    """
    match = _SENTENCE.search(text) or _FOREIGN.search(text)
    return match and match[0]
