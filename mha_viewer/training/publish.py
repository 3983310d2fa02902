"""From a training run to `weights/`: `python -m mha_viewer.training.publish RUN`.

Heads are moved inside their layers so that those with the course's findings stand in its places,
2.4, 1.1 and 3.1; the function of the model stays the same.
"""

from __future__ import annotations

import argparse
import json
import shutil
from collections.abc import Mapping, Sequence
from pathlib import Path
from typing import Any

import numpy as np
from numpy.typing import NDArray
from safetensors.numpy import load_file, save_file

from mha_viewer.models.checkpoint import Weights
from mha_viewer.models.geometry import Geometry
from mha_viewer.models.llama_numpy import forward
from mha_viewer.models.tokens import SentenceTokenizer
from mha_viewer.paths import WEIGHTS
from mha_viewer.training.corpus import START
from mha_viewer.training.findings import (
    best_heads,
    example_sentences,
    mean_readings,
    sentence_ids,
)
from mha_viewer.training.loop import MICRO

#: Where the heads with findings go, from 0: (layer, head), in the order of `best_heads`.
PLACES = ((1, 3), (0, 0), (2, 0))

#: How many snapshots of the training are kept, the untrained model among them.
N_SNAPSHOTS = 12


def swap_heads(
    weights: Weights, geometry: Geometry, layer: int, first: int, second: int
) -> dict[str, NDArray[np.float32]]:
    """Exchange two heads of a layer with as many key/value heads: rows of q, k, v, columns of o."""
    swapped = dict(weights)
    size = geometry.d_head
    order = np.arange(geometry.n_heads * size)
    one, two = slice(first * size, (first + 1) * size), slice(second * size, (second + 1) * size)
    order[one], order[two] = order[two].copy(), order[one].copy()
    prefix = f"model.layers.{layer}.self_attn."
    for name in ("q_proj", "k_proj", "v_proj"):
        key = f"{prefix}{name}.weight"
        swapped[key] = np.ascontiguousarray(weights[key][order])
    key = f"{prefix}o_proj.weight"
    swapped[key] = np.ascontiguousarray(weights[key][:, order])
    return swapped


def write_model(
    folder: Path,
    geometry: Geometry,
    weights: Mapping[str, NDArray[np.floating[Any]]],
    tokenizer: Path,
) -> None:
    """Write a Hugging Face directory whose weights have the numbers' type of `weights`."""
    folder.mkdir(parents=True, exist_ok=True)
    save_file(dict(weights), folder / "model.safetensors", {"format": "pt"})
    dtype = str(next(iter(weights.values())).dtype)
    _write_json(folder / "config.json", geometry.to_config() | {"torch_dtype": dtype})
    shutil.copy(tokenizer, folder / "tokenizer.json")
    tokenizer_config = {
        "tokenizer_class": "PreTrainedTokenizerFast",
        "bos_token": START,
        "model_max_length": geometry.context,
        "clean_up_tokenization_spaces": False,
    }
    _write_json(folder / "tokenizer_config.json", tokenizer_config)


def _write_json(path: Path, content: object) -> None:
    text = json.dumps(content, indent=1, ensure_ascii=False)
    path.write_text(f"{text}\n", encoding="utf-8")


def publish(run: Path, checkpoint: Path, out: Path) -> None:
    """Write `micro/` and `micro-snapshots.safetensors` into `out` from a run's folder."""
    weights: Weights = load_file(checkpoint)
    tokenizer = SentenceTokenizer.from_file(run / "tokenizer.json")
    texts = sentence_ids(example_sentences(), tokenizer)
    means = mean_readings(lambda ids: forward(weights, MICRO, ids)[1], texts)
    moves = [
        (layer, place, head) for (layer, place), head in zip(PLACES, best_heads(means), strict=True)
    ]

    def placed(loaded: Weights) -> Weights:
        for layer, place, head in moves:
            loaded = swap_heads(loaded, MICRO, layer, place, head)
        return loaded

    write_model(out / "micro", MICRO, placed(weights), run / "tokenizer.json")
    untrained, *later = sorted((run / "snapshots").glob("*.safetensors"))
    later = [path for path in later if int(path.stem) <= int(checkpoint.stem)]
    snapshots = {
        f"{int(path.stem)}/{name}": array.astype(np.float16)
        for path in (untrained, *later[1 - N_SNAPSHOTS :])
        for name, array in placed(load_file(path)).items()
    }
    save_file(snapshots, out / "micro-snapshots.safetensors")


def main(argv: Sequence[str] | None = None) -> int:
    """Publish the last checkpoint of a run, or the one named by its tokens."""
    parser = argparse.ArgumentParser(prog="python -m mha_viewer.training.publish")
    parser.add_argument("run", type=Path)
    parser.add_argument("--tokens", type=int, help="the checkpoint's tokens (default: the last)")
    parser.add_argument("--out", type=Path, default=WEIGHTS)
    options = parser.parse_args(argv)
    checkpoints = sorted((options.run / "checkpoints").glob("*.safetensors"))
    chosen = [path for path in checkpoints if options.tokens in (None, int(path.stem))]
    if not chosen:
        parser.error(f"{options.run} holds no such checkpoint")
    publish(options.run, chosen[-1], options.out)
    print(f"Published {chosen[-1]} to {options.out}.")
    return 0


if __name__ == "__main__":
    raise SystemExit(main())
