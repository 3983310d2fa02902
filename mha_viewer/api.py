"""What the package offers to a notebook: open a model, read a sentence, save a figure."""

from __future__ import annotations

from weakref import WeakKeyDictionary

from mha_viewer.models.language_model import LanguageModel
from mha_viewer.models.opening import open_model
from mha_viewer.readings.kinds import Probe, probe
from mha_viewer.readings.reading import Reading, read_sentence

__all__ = ["open_model", "save_figure", "take_reading"]

_probes: WeakKeyDictionary[LanguageModel, Probe] = WeakKeyDictionary()


def take_reading(model: LanguageModel, sentence: str) -> Reading:
    """Read a sentence with an opened model; its heads are probed once, at the first sentence.

    Raises:
        EngineError: the model's engine failed.
    """
    if model not in _probes:
        _probes[model] = probe(model)
    return read_sentence(model, _probes[model], sentence)
