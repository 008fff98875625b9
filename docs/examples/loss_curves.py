"""Draws loss curves as an SVG file, without a plotting library.

Colours follow the reader's light or dark scheme. Each curve is drawn twice: faintly step by step,
and strongly as a running mean. The loss axis is logarithmic.
"""

import itertools
import math
import pathlib
from xml.sax.saxutils import escape

WIDTH, HEIGHT = 860, 480
LEFT, RIGHT, TOP, BOTTOM = 74, 24, 76, 62
COLOURS = ("#3b82f6", "#f59e0b", "#10b981", "#ef4444", "#a855f7", "#14b8a6")
STYLE = """
    text { font: 14px system-ui, "Segoe UI", Helvetica, Arial, sans-serif; fill: #374151 }
    .title { font-size: 18px; font-weight: 600; fill: #111827 }
    .grid { stroke: #9ca3af; stroke-opacity: .28 }
    .axis { stroke: #6b7280 }
    .raw { fill: none; stroke-width: 1; stroke-opacity: .13 }
    .mean { fill: none; stroke-width: 2.4; stroke-linejoin: round; stroke-linecap: round }
    @media (prefers-color-scheme: dark) {
      text { fill: #d1d5db }
      .title { fill: #f9fafb }
    }"""


def draw_loss_curves(path, title, curves):
    """Write an SVG file of losses by step.

    Args:
        path (str or pathlib.Path): the file.
        title (str): the title above the curves.
        curves (dict): from a name to a list of losses; losses after the first NaN or infinity are
            left out.
    """
    curves = {
        name: [max(float(loss), 1e-6) for loss in itertools.takewhile(math.isfinite, losses)]
        for name, losses in curves.items()
    }
    curves = {name: losses for name, losses in curves.items() if losses}
    steps = max(len(losses) for losses in curves.values())
    means = {name: running_mean(losses, max(1, steps // 25)) for name, losses in curves.items()}
    low = round_number(min(min(mean) for mean in means.values()), up=False)
    high = round_number(max(max(mean) for mean in means.values()), up=True)

    def x(step):
        return LEFT + (WIDTH - LEFT - RIGHT) * (step - 1) / max(1, steps - 1)

    def y(loss):
        share = math.log(min(max(loss, low), high) / low) / math.log(high / low)
        return HEIGHT - BOTTOM - (HEIGHT - TOP - BOTTOM) * share

    def line(kind, colour, losses):
        points = " ".join(f"{x(step):.1f},{y(loss):.1f}" for step, loss in enumerate(losses, 1))
        return f'<polyline class="{kind}" stroke="{colour}" points="{points}"/>'

    parts = [*axes(x, y, steps, low, high), *legend(list(curves))]
    for kind, lines in (("raw", curves), ("mean", means)):
        parts += [
            line(kind, COLOURS[place % len(COLOURS)], losses)
            for place, losses in enumerate(lines.values())
        ]
    heading = f'<text class="title" x="{LEFT}" y="28">{escape(title)}</text>'
    body = "\n  ".join([f"<style>{STYLE}\n  </style>", heading, *parts])
    pathlib.Path(path).write_text(
        f'<svg xmlns="http://www.w3.org/2000/svg" viewBox="0 0 {WIDTH} {HEIGHT}" '
        f'width="{WIDTH}" height="{HEIGHT}" role="img">\n  {body}\n</svg>\n',
        encoding="utf-8",
    )


def running_mean(losses, span):
    """The running mean over the last `span` losses."""
    total, means = 0.0, []
    for step, loss in enumerate(losses):
        total += loss - (losses[step - span] if step >= span else 0.0)
        means.append(total / min(step + 1, span))
    return means


def round_number(value, up):
    """Round up or down to one of ..., 0.1, 0.2, 0.5, 1, 2, 5, 10, ..."""
    decade = 10.0 ** math.floor(math.log10(value))
    near = [decade * times for times in (1, 2, 5, 10)]
    return min(n for n in near if n >= value) if up else max(n for n in near if n <= value)


def axes(x, y, steps, low, high):
    """Draw grid lines with their numbers, and the names of the axes."""
    floor = HEIGHT - BOTTOM
    loss = low
    while loss <= high * 1.001:
        yield (
            f'<line class="grid" x1="{LEFT}" x2="{WIDTH - RIGHT}" y1="{y(loss):.1f}" '
            f'y2="{y(loss):.1f}"/>'
        )
        yield (f'<text x="{LEFT - 10}" y="{y(loss) + 5:.1f}" text-anchor="end">{loss:.3g}</text>')
        loss = round_number(loss * 1.01, up=True)
    spacing = int(max(1, round_number(max(1, steps / 8), up=True)))
    for step in range(spacing, steps + 1, spacing):
        yield f'<text x="{x(step):.1f}" y="{floor + 22}" text-anchor="middle">{step}</text>'
    yield f'<line class="axis" x1="{LEFT}" x2="{WIDTH - RIGHT}" y1="{floor}" y2="{floor}"/>'
    yield f'<line class="axis" x1="{LEFT}" x2="{LEFT}" y1="{TOP}" y2="{floor}"/>'
    middle = (LEFT + WIDTH - RIGHT) / 2
    yield f'<text x="{middle}" y="{HEIGHT - 14}" text-anchor="middle">step</text>'
    yield (
        f'<text transform="translate(20 {(TOP + floor) / 2}) rotate(-90)" '
        f'text-anchor="middle">loss</text>'
    )


def legend(names):
    """Draw a swatch and a name per curve, in one row under the title."""
    place = LEFT
    for number, name in enumerate(names):
        yield (
            f'<rect x="{place}" y="45" width="18" height="5" rx="2.5" '
            f'fill="{COLOURS[number % len(COLOURS)]}"/>'
        )
        yield f'<text x="{place + 25}" y="53">{escape(name)}</text>'
        place += 25 + 8 * len(name) + 26
