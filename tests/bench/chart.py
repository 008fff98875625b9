"""Draws the chart of `python -m tests.bench`: times of the others relative to the package."""

import math
from xml.sax.saxutils import escape

WIDTH, LEFT, RIGHT, TOP, ROW = 900, 330, 40, 84, 24
COLOURS = ("#f59e0b", "#3b82f6", "#10b981")
STYLE = """
    text { font: 13px system-ui, "Segoe UI", Helvetica, Arial, sans-serif; fill: #374151 }
    .title { font-size: 18px; font-weight: 600; fill: #111827 }
    .grid { stroke: #9ca3af; stroke-opacity: .28 }
    .equal { stroke: #6b7280; stroke-width: 1.5 }
    @media (prefers-color-scheme: dark) {
      text { fill: #d1d5db }
      .title { fill: #f9fafb }
    }"""


def draw(results, ours, machine):
    """Returns the text of an SVG file.

    Args:
        results (dict): from a case to {library: {"quiet": [wall, processor] milliseconds}}.
        ours (str): the library that the others are compared with.
        machine (str): stands below the title.
    """
    ratios = {
        case: {
            name: figures["quiet"][0] / found[ours]["quiet"][0]
            for name, figures in found.items()
            if name != ours
        }
        for case, found in results.items()
    }
    names = list(dict.fromkeys(name for found in ratios.values() for name in found))
    colours = dict(zip(names, COLOURS))
    largest = max((max(r, 1 / r) for found in ratios.values() for r in found.values()), default=2)
    span = max(1.0, math.ceil(math.log2(largest)))  # doublings on each side of "as long"
    height = TOP + ROW * len(ratios) + 50

    def x(ratio):
        return LEFT + (WIDTH - LEFT - RIGHT) * (math.log2(ratio) / span + 1) / 2

    parts = [
        f"<style>{STYLE}\n  </style>",
        '<text class="title" x="20" y="28">Time of others, as a multiple of ours</text>',
        f'<text x="20" y="48">{escape(machine)}; right of the line: this package is faster</text>',
        *_legend(colours),
        *_grid(x, int(span), height),
    ]
    for number, (case, found) in enumerate(ratios.items()):
        y = TOP + ROW * (number + 0.5)
        parts.append(f'<text x="{LEFT - 14}" y="{y + 4}" text-anchor="end">{escape(case)}</text>')
        parts += [
            f'<circle cx="{x(ratio):.1f}" cy="{y}" r="5" fill="{colours[name]}">'
            f"<title>{escape(name)}: {ratio:.2f}</title></circle>"
            for name, ratio in found.items()
        ]
    body = "\n  ".join(parts)
    return (
        f'<svg xmlns="http://www.w3.org/2000/svg" viewBox="0 0 {WIDTH} {height}" '
        f'width="{WIDTH}" height="{height}" role="img">\n  {body}\n</svg>'
    )


def _legend(colours):
    """Yields a dot and a name for each library, in one row."""
    left = 20
    for name, colour in colours.items():
        yield f'<circle cx="{left + 6}" cy="64" r="5" fill="{colour}"/>'
        yield f'<text x="{left + 16}" y="69">{escape(name)}</text>'
        left += 40 + 8 * len(name)


def _grid(x, span, height):
    """Yields a line for each doubling, with its number below."""
    bottom = height - 40
    for power in range(-span, span + 1):
        kind = "grid" if power else "equal"
        at = x(2.0**power)
        yield f'<line class="{kind}" x1="{at:.1f}" x2="{at:.1f}" y1="{TOP}" y2="{bottom}"/>'
        text = f"{2**power}" if power >= 0 else f"1/{2**-power}"
        yield f'<text x="{at:.1f}" y="{bottom + 20}" text-anchor="middle">{text}</text>'
