import numpy as np
import pytest

from mha_viewer.models.geometry import Geometry
from mha_viewer.models.llama_numpy import forward
from mha_viewer.training.loop import MICRO
from mha_viewer.training.publish import swap_heads


@pytest.fixture
def weights() -> dict[str, np.ndarray[tuple[int, ...], np.dtype[np.float32]]]:
    rng = np.random.default_rng(3)
    return {
        name: (rng.normal(size=shape) * 0.1).astype(np.float32)
        for name, shape in MICRO.shapes().items()
    }


def test_that_swapping_heads_moves_their_patterns_and_keeps_the_function(
    weights: dict[str, np.ndarray[tuple[int, ...], np.dtype[np.float32]]],
) -> None:
    geometry: Geometry = MICRO
    ids = np.random.default_rng(4).integers(1, geometry.vocab_size, 20)
    logits, pattern = forward(weights, geometry, ids)
    swapped = swap_heads(weights, geometry, 1, 0, 3)
    new_logits, new_pattern = forward(swapped, geometry, ids)
    np.testing.assert_allclose(new_logits, logits, atol=1e-5)
    assert (new_logits.argmax(-1) == logits.argmax(-1)).all()
    np.testing.assert_allclose(new_pattern[1][[3, 1, 2, 0]], pattern[1], atol=1e-6)
    np.testing.assert_allclose(new_pattern[0], pattern[0], atol=1e-6)
    assert np.abs(new_pattern[1] - pattern[1]).max() > 1e-3
