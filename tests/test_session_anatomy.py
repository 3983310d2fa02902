"""The session while a layer is looked into: the anatomy belongs to the reading before it."""

from __future__ import annotations

from collections.abc import Iterator
from pathlib import Path

import pytest
from pytestqt.qtbot import QtBot

from mha_viewer.models.language_model import DeviceChoice, EngineChoice, LanguageModel
from mha_viewer.models.numpy_model import NumpyModel
from mha_viewer.paths import MICRO
from mha_viewer.readings.anatomy import NO_STAGES, Anatomy
from mha_viewer.readings.reading import Reading
from mha_viewer.session import Session


class Stageless:
    """Micro behind a protocol that gives no stages, as the torch engine is."""

    def __init__(self) -> None:
        model = NumpyModel(MICRO)
        self.info, self.tokenizer = model.info, model.tokenizer
        self.load, self.run, self.check, self.close = (
            model.load,
            model.run,
            model.check,
            model.close,
        )


@pytest.fixture
def session(qapp: object) -> Iterator[Session]:
    session = Session()
    yield session
    session.close()


def test_that_each_reading_is_followed_by_the_anatomy_of_the_layer_looked_into(
    session: Session, qtbot: QtBot
) -> None:
    heard: list[Reading | Anatomy] = []
    session.reading_ready.connect(lambda reading, _: heard.append(reading))
    session.anatomy_ready.connect(heard.append)
    session.open()
    with qtbot.waitSignal(session.reading_ready):
        session.read("The cat sat.")
    with qtbot.waitSignal(session.anatomy_ready):
        session.look_into(3)
    with qtbot.waitSignal(session.anatomy_ready):
        session.read("The cat sat on the mat.")
    kinds = [type(each).__name__ for each in heard]
    assert kinds == ["Reading", "Reading", "Anatomy", "Reading", "Anatomy"]
    reading, anatomy = heard[-2:]
    assert isinstance(anatomy, Anatomy)
    assert isinstance(reading, Reading)
    assert anatomy.layer == 3
    assert anatomy.tokens == reading.tokens
    assert (anatomy.pattern == reading.pattern[2]).all()


def test_that_no_anatomy_is_computed_once_nobody_looks(session: Session, qtbot: QtBot) -> None:
    session.open()
    session.read("The cat sat.")
    with qtbot.waitSignal(session.anatomy_ready):
        session.look_into(1)
    session.look_into(None)
    with qtbot.assertNotEmitted(session.anatomy_ready), qtbot.waitSignal(session.reading_ready):
        session.read("The dog sat.")


def test_that_a_snapshot_of_the_training_is_looked_into_as_well(
    session: Session, qtbot: QtBot
) -> None:
    session.open()
    session.read("The cat sat.")
    with qtbot.waitSignal(session.anatomy_ready) as intact:
        session.look_into(2)
    with qtbot.waitSignal(session.anatomy_ready) as untrained:
        session.show_snapshot(0)
    assert untrained.args[0].model.tokens_seen == 0
    assert not (untrained.args[0].pattern == intact.args[0].pattern).all()


def test_that_a_model_without_stages_says_so_and_is_read_all_the_same(qtbot: QtBot) -> None:
    def open_stageless(
        path: Path | None, device: DeviceChoice, engine: EngineChoice
    ) -> LanguageModel:
        return Stageless()

    session = Session(opener=open_stageless)
    session.open()
    session.read("The cat sat.")
    with (
        qtbot.waitSignal(session.anatomy_refused) as refused,
        qtbot.waitSignal(session.reading_ready),
    ):
        session.look_into(1)
    assert refused.args == [NO_STAGES]
    session.close()
