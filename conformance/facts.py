"""Checks what specs and answers may contain: names, numbers and short texts. No prose, no source
code, no path of a machine.

The sentences and the code of a documentation belong to its authors; the facts in them do not.
"""

import re

WORDS = 12  # in one sentence
_WORD = r"[A-Za-z][A-Za-z'’-]*"
_SENTENCE = re.compile(rf"(?<![A-Za-z'’-]){_WORD}(?:,? {_WORD}){{{WORDS}}}")
_FOREIGN = re.compile(
    r">>>|\n|\\n|\bSupported Platforms|\.\. \w+::|:(?:math|class|func|meth):`"  # a page
    r"|(?:^|['\"])(?:from [\w.]+ )?(?:import|def|class) \w|\bself\.\w+ = "  # source
    r"|(?<![\w.])/(?:root|home|Users)/|site-packages"  # a path of a machine
)


def foreign(text):
    """The part of a text that is no fact: a sentence of more than twelve words, a mark of
    documentation, a line of source, a path; None where there is none.
    """
    found = _SENTENCE.search(text) or _FOREIGN.search(text)
    return found and found[0]
