from pathlib import Path

import numpy as np
import pytest
from safetensors import safe_open

from mha_viewer.models.llama_numpy import forward
from mha_viewer.models.numpy_model import NumpyModel
from mha_viewer.paths import MICRO as MICRO_FOLDER
from mha_viewer.paths import WEIGHTS
from mha_viewer.training.findings import (
    best_heads,
    columns,
    example_sentences,
    later_sentences,
    mean_readings,
    sentence_ids,
    shown,
    table,
)
from mha_viewer.training.loop import MICRO

CORPUS = Path(__file__).parents[3] / "shared" / "corpus"


@pytest.fixture(scope="module")
def micro() -> NumpyModel:
    return NumpyModel(MICRO_FOLDER)


def test_that_micro_shows_the_findings_in_the_places_of_the_course(micro: NumpyModel) -> None:
    texts = sentence_ids(example_sentences(), micro.tokenizer)
    assert len(texts) >= 10
    means = mean_readings(lambda ids: micro.run(ids.tolist()).pattern, texts)
    heads = best_heads(means)
    assert heads == (3, 0, 0)
    assert shown(means, heads) == (True, True, True)


def test_that_the_findings_are_means_of_plain_sums(micro: NumpyModel) -> None:
    texts = sentence_ids(example_sentences(), micro.tokenizer)[:3]
    means = mean_readings(lambda ids: micro.run(ids.tolist()).pattern, texts)
    expected = []
    for ids in texts:
        pattern = micro.run(ids.tolist()).pattern[1, 3]
        expected.append(sum(pattern[i, i - 1] for i in range(1, len(ids))) / (len(ids) - 1))
    assert means.previous_token[1, 3] == pytest.approx(np.mean(expected), abs=1e-6)


def test_that_twelve_sentences_were_written_afterwards() -> None:
    sentences = later_sentences()
    assert len(set(sentences)) == 12
    assert not set(sentences) & set(example_sentences())


@pytest.mark.skipif(not CORPUS.is_dir(), reason="the training texts do not lie beside the checkout")
def test_that_the_model_card_holds_the_table_of_the_shipped_weights(micro: NumpyModel) -> None:
    card = (MICRO_FOLDER / "README.md").read_text(encoding="utf-8")
    found = columns(micro, CORPUS)
    assert table(found, best_heads(next(iter(found.values())))) in card


def test_that_the_last_snapshot_is_micro_and_the_first_is_untrained() -> None:
    path = WEIGHTS / "micro-snapshots.safetensors"
    assert path.stat().st_size <= 32_000_000
    with safe_open(path, framework="numpy") as file:
        names = list(file.keys())
        tokens = sorted({int(name.split("/")[0]) for name in names})
        assert 10 <= len(tokens) <= 12
        assert tokens[0] == 0
        ratios = np.diff(np.log(tokens[1:]))
        assert ratios.max() / ratios.min() < 1.2
        first, last = (
            {name: file.get_tensor(f"{seen}/{name}").astype(np.float32) for name in MICRO.shapes()}
            for seen in (tokens[0], tokens[-1])
        )
    ids = np.arange(1, 21)
    micro = NumpyModel(MICRO_FOLDER).run(ids.tolist())
    np.testing.assert_allclose(forward(last, MICRO, ids)[1], micro.pattern, atol=5e-3)
    untrained = forward(first, MICRO, ids)[1]
    uniform = np.tri(20) / np.arange(1, 21)[:, None]
    np.testing.assert_allclose(untrained, np.broadcast_to(uniform, untrained.shape), atol=0.1)
