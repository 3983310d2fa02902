"""The snapshots of micro's training: read when wanted, right to half precision."""

from __future__ import annotations

from pathlib import Path

import numpy as np
import pytest
from safetensors.numpy import save_file

from mha_viewer.models.geometry import CheckpointError
from mha_viewer.models.language_model import short_count
from mha_viewer.models.numpy_model import NumpyModel
from mha_viewer.models.snapshots import Snapshots
from mha_viewer.paths import MICRO

SENTENCE = "The little dog ran after the ball because it was very happy, and the old king sat down."


@pytest.fixture(scope="module")
def snapshots() -> Snapshots:
    return Snapshots()


def test_that_there_are_twelve_snapshots_from_the_untrained_model_to_micro(
    snapshots: Snapshots,
) -> None:
    seen = snapshots.tokens_seen
    assert len(seen) == 12
    assert seen[0] == 0
    assert list(seen) == sorted(seen)
    model = snapshots.model(7)
    assert model.info.tokens_seen == seen[7] == 1_216_512
    assert model.info.name == "micro after 1.2 M tokens"
    assert model.info.geometry == NumpyModel(MICRO).info.geometry


def test_that_the_last_snapshot_attends_as_micro_does_to_half_precision(
    snapshots: Snapshots,
) -> None:
    micro = NumpyModel(MICRO)
    tokens, _ = micro.tokenizer.encode(SENTENCE, 256)
    ids = [token.id for token in tokens]
    last, whole = snapshots.model(11).run(ids), micro.run(ids)
    # Weights rounded to 11 bits: scores of up to some tens move by less than a hundredth.
    np.testing.assert_allclose(last.pattern, whole.pattern, atol=5e-3)
    assert np.abs(last.pattern - whole.pattern).mean() < 2e-4
    assert last.next_logits.argmax() == whole.next_logits.argmax()
    # No other snapshot comes near.
    assert np.abs(snapshots.model(10).run(ids).pattern - whole.pattern).max() > 0.2


def test_that_an_untrained_model_attends_almost_evenly(snapshots: Snapshots) -> None:
    pattern = snapshots.model(0).run(range(1, 21)).pattern
    uniform = np.tri(20) / np.arange(1, 21)[:, None]
    np.testing.assert_allclose(pattern, np.broadcast_to(uniform, pattern.shape), atol=0.1)


def test_that_a_snapshot_is_cast_once_and_the_tokenizer_is_shared(snapshots: Snapshots) -> None:
    assert snapshots.model(3) is snapshots.model(3)
    assert snapshots.model(3).tokenizer is snapshots.model(4).tokenizer


@pytest.mark.parametrize(
    ("count", "said"),
    [
        (0, "0"),
        (512, "512"),
        (36_864, "37 k"),
        (999_499, "999 k"),
        (999_500, "1.0 M"),
        (1_216_512, "1.2 M"),
        (12_541_952, "12.5 M"),
    ],
)
def test_that_counts_are_short(count: int, said: str) -> None:
    assert short_count(count) == said


def test_that_a_missing_file_is_named(tmp_path: Path) -> None:
    with pytest.raises(CheckpointError, match="There is no file"):
        Snapshots(MICRO, tmp_path / "none.safetensors")


@pytest.mark.parametrize("content", [b"", b"\xff" * 40])
def test_that_a_damaged_file_is_told(tmp_path: Path, content: bytes) -> None:
    path = tmp_path / "snapshots.safetensors"
    path.write_bytes(content)
    with pytest.raises(CheckpointError, match="damaged"):
        Snapshots(MICRO, path)


def test_that_tensors_of_another_naming_are_told(tmp_path: Path) -> None:
    path = tmp_path / "snapshots.safetensors"
    save_file({"model.norm.weight": np.ones(128, np.float16)}, path)
    with pytest.raises(CheckpointError, match="damaged"):
        Snapshots(MICRO, path)


def test_that_a_snapshot_that_lacks_a_tensor_is_told_when_it_is_wanted(tmp_path: Path) -> None:
    path = tmp_path / "snapshots.safetensors"
    save_file({"0/model.norm.weight": np.ones(128, np.float16)}, path)
    snapshots = Snapshots(MICRO, path)
    assert snapshots.tokens_seen == (0,)
    with pytest.raises(CheckpointError, match=r"lack model\.embed_tokens"):
        snapshots.model(0)
