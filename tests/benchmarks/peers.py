"""The example sentences drawn by the viewer and by its peers, where these are installed.

Each begins with the patterns of a sentence as arrays and ends with the painted picture of all
heads, token labels included; every sentence is new to it. matplotlib draws 16 subplots into
memory; BertViz draws its `model_view` in headless Chromium (see `peer_bertviz`),
which shows small pictures of the heads without labels.
"""

from __future__ import annotations

import importlib
import json
from collections.abc import Callable, Sequence
from importlib.util import find_spec

from PySide6.QtWidgets import QApplication

from mha_viewer.api import open_model, take_reading
from mha_viewer.figures.fonts import load_fonts
from mha_viewer.paths import RESOURCES
from mha_viewer.readings.reading import Reading
from mha_viewer.ui.pattern_view import PatternView
from mha_viewer.ui.selection import Selection
from tests.benchmarks.measure import Row, hand_over, note, summary, timed
from tests.benchmarks.peer_bertviz import BertViz, hindrance

WIDTH, HEIGHT = 1440, 900
ROUNDS = 2


def main() -> list[Row]:
    """Draw every example sentence with each peer, the peers in turn."""
    application = QApplication([])
    load_fonts()
    model = open_model()
    examples = json.loads((RESOURCES / "examples.json").read_text(encoding="utf-8"))
    readings = [take_reading(model, example["sentence"]) for example in examples]
    view = PatternView(Selection())
    view.resize(WIDTH, HEIGHT)
    view.show()
    application.processEvents()

    def viewer(reading: Reading) -> float:
        def draw() -> None:
            view.set_reading(reading, view.prepare(reading))
            view.repaint()

        return timed(draw)

    drawers: dict[str, Callable[[Reading], float]] = {"MHA Viewer": viewer}
    if find_spec("matplotlib"):
        drawers["matplotlib, 16 subplots"] = _matplotlib_drawer()
    else:
        note("matplotlib is not installed")
    reason = hindrance()
    bertviz = None if reason else BertViz()
    if bertviz is not None:
        drawers["BertViz model_view, Chromium"] = bertviz.draw
    else:
        note(f"BertViz is left out: {reason}")
    samples: dict[str, list[float]] = {name: [] for name in drawers}
    try:
        for turn in range(ROUNDS + 1):
            for reading in readings:
                for name, draw in drawers.items():
                    seconds = draw(reading)
                    if turn:  # the first round warms up
                        samples[name].append(seconds)
    finally:
        if bertviz is not None:
            bertviz.close()
    return _rows(samples, len(readings))


def _rows(samples: dict[str, list[float]], count: int) -> list[Row]:
    own = samples["MHA Viewer"]
    return [
        summary(
            f"arrays to painted: {name}",
            f"{count} example sentences",
            times,
            against="" if times is own else "MHA Viewer",
            base=() if times is own else own,
        )
        for name, times in samples.items()
    ]


def _matplotlib_drawer() -> Callable[[Reading], float]:
    agg = importlib.import_module("matplotlib.backends.backend_agg")
    figures = importlib.import_module("matplotlib.figure")

    def draw(reading: Reading) -> None:
        layers, heads, n_tokens, _ = reading.pattern.shape
        texts: Sequence[str] = [token.text for token in reading.tokens]
        figure = figures.Figure(figsize=(WIDTH / 100, HEIGHT / 100), dpi=100)
        canvas = agg.FigureCanvasAgg(figure)
        axes = figure.subplots(layers, heads)
        for layer in range(layers):
            for head in range(heads):
                plot = axes[layer][head]
                plot.imshow(reading.pattern[layer, head], vmin=0, vmax=1)
                plot.set_title(f"{layer + 1}.{head + 1}", fontsize=7)
                plot.set_xticks(range(n_tokens), texts, fontsize=4, rotation=90)
                plot.set_yticks(range(n_tokens), texts, fontsize=4)
        canvas.draw()

    return lambda reading: timed(lambda: draw(reading))


if __name__ == "__main__":
    hand_over(main())
