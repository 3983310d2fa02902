"""The numpy engine, the torch engine and transformers compute the same."""

from __future__ import annotations

import math
from multiprocessing.shared_memory import SharedMemory
from pathlib import Path

import numpy as np
from numpy.testing import assert_allclose

from mha_viewer.models.language_model import LanguageModel
from mha_viewer.models.numpy_model import NumpyModel
from mha_viewer.models.torch_worker import Engine, Pass, Start
from mha_viewer.paths import MICRO
from tests.models.conftest import SENTENCE, open_in_transformers

#: Patterns lie in 0 … 1, and micro's logits within ± 10. Those of stories260K reach 14, where the
#: rounding of float32 alone moves transformers' own logits by 1.2e-5 (against float64), so that a
#: logit may differ by 1e-5 of its size as well.
TOLERANCE = 1e-5


def sentence_ids(model: LanguageModel, sentence: str = SENTENCE) -> list[int]:
    tokens, _ = model.tokenizer.encode(sentence, model.info.geometry.context)
    return [token.id for token in tokens]


def test_that_patterns_and_logits_equal_those_of_transformers(model_folder: Path) -> None:
    import torch

    model = NumpyModel(model_folder)
    reference = open_in_transformers(model_folder)
    context = model.info.geometry.context
    for ids in (sentence_ids(model), sentence_ids(model, SENTENCE * 20), sentence_ids(model)[:1]):
        passed = model.run(ids)
        with torch.inference_mode():
            expected = reference(torch.tensor([ids]), output_attentions=True)
            losses = torch.nn.functional.cross_entropy(
                expected.logits[0, :-1], torch.tensor(ids[1:], dtype=torch.long), reduction="none"
            )
        patterns = torch.stack(expected.attentions)[:, 0].numpy()
        assert len(ids) <= context
        assert_allclose(passed.pattern, patterns, rtol=0, atol=TOLERANCE)
        assert_allclose(passed.next_logits, expected.logits[0, -1], rtol=TOLERANCE, atol=TOLERANCE)
        assert_allclose(passed.losses, losses, rtol=TOLERANCE, atol=TOLERANCE)


def test_that_micro_s_logits_equal_those_of_transformers_to_the_letter() -> None:
    import torch

    model = NumpyModel(MICRO)
    ids = sentence_ids(model)
    with torch.inference_mode():
        expected = open_in_transformers(MICRO)(torch.tensor([ids])).logits[0, -1]
    assert_allclose(model.run(ids).next_logits, expected, rtol=0, atol=TOLERANCE)


def test_that_greedy_text_equals_that_of_transformers(model_folder: Path) -> None:
    import torch

    model = NumpyModel(model_folder)
    start = sentence_ids(model, "The little dog")
    expected = open_in_transformers(model_folder).generate(
        torch.tensor([start]), do_sample=False, max_new_tokens=24, eos_token_id=None
    )
    ids = list(start)
    for _ in range(24):
        ids.append(int(model.run(ids).next_logits.argmax()))
    assert ids == expected[0].tolist()


def test_that_both_engines_give_the_same(model_folder: Path) -> None:
    model = NumpyModel(model_folder)
    geometry = model.info.geometry
    engine = Engine(Start(model_folder, geometry, "cpu"))
    for sentence in (SENTENCE, SENTENCE * 20, ""):
        ids = sentence_ids(model, sentence)
        shape = (geometry.n_layers, geometry.n_heads, len(ids), len(ids))
        memory = SharedMemory(create=True, size=4 * math.prod(shape))
        try:
            theirs = engine.run(Pass(tuple(ids), memory.name), memory)
            pattern = np.ndarray(shape, np.float32, memory.buf).copy()
        finally:
            memory.close()
            memory.unlink()
        ours = model.run(ids)
        assert_allclose(pattern, ours.pattern, rtol=0, atol=TOLERANCE)
        assert_allclose(theirs.next_logits, ours.next_logits, rtol=TOLERANCE, atol=TOLERANCE)
        assert_allclose(theirs.losses, ours.losses, rtol=TOLERANCE, atol=TOLERANCE)


def test_that_no_token_sees_a_later_one_and_rows_sum_to_1(model_folder: Path) -> None:
    model = NumpyModel(model_folder)
    pattern = model.run(sentence_ids(model)).pattern
    assert pattern.dtype == np.float32
    assert not pattern[..., ~np.tri(pattern.shape[-1], dtype=bool)].any()
    assert_allclose(pattern.sum(axis=-1), 1, atol=1e-6)
