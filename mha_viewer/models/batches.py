"""Many windows of text at once, with torch: how heads attend, and the loss with some silenced."""

from __future__ import annotations

import os
from collections.abc import Callable, Iterable, Sequence
from dataclasses import dataclass
from itertools import groupby
from pathlib import Path
from typing import TYPE_CHECKING

import numpy as np
from numpy.typing import NDArray

from mha_viewer.models.checkpoint import read_geometry
from mha_viewer.models.heads import Head, heads_in
from mha_viewer.models.language_model import DeviceChoice
from mha_viewer.models.torch_worker import Engine, Start

if TYPE_CHECKING:
    from torch import Tensor

    from mha_viewer.models.llama_torch import Layer, LlamaTorch

#: How many logits a batch may have, by 4 bytes each; a CPU is quickest with what its caches hold.
_CPU_LOGITS, _GPU_LOGITS = 2_500_000, 100_000_000


@dataclass(frozen=True, slots=True)
class Attended:
    """What the heads of one layer did over a batch of B windows of T tokens.

    `pattern` is float32 `[B, head, query, key]`; `contribution` float32 `[B, head]` is the length
    of the vector that a head adds to the residual stream, as the mean over a window's tokens.
    """

    pattern: NDArray[np.float32]
    contribution: NDArray[np.float32]


#: Takes what each layer's heads did, with the layer, counted from 0.
Watch = Callable[[int, Attended], None]


class Batches:
    """A model of torch that reads batches of windows, in this process."""

    def __init__(self, folder: Path, device: DeviceChoice = "auto") -> None:
        """Load the model in a Hugging Face directory.

        Raises:
            CheckpointError: it is missing, damaged or of another form.
            EngineError: torch cannot be loaded.
        """
        self.geometry = read_geometry(folder)
        self._engine = Engine(Start(folder, self.geometry, device))
        import torch

        # Long batches gain from more cores; one is left to whoever waits.
        torch.set_num_threads(max(1, (os.cpu_count() or 1) - 1))

    @property
    def note(self) -> str:
        """A sentence where the device is not the one asked for, or empty."""
        return self._engine.note

    def size(self, length: int) -> int:
        """Return how many windows of so many tokens make a good batch on the model's device."""
        logits = _CPU_LOGITS if self._engine.device == "cpu" else _GPU_LOGITS
        return max(1, logits // (length * self.geometry.vocab_size))

    def losses(
        self,
        ids: NDArray[np.int64],
        variants: Sequence[frozenset[Head]],
        watch: Watch | None = None,
    ) -> NDArray[np.float64]:
        """Measure a batch with some heads silenced, in one variant after another.

        What variants have in common is computed once: a layer is run anew for a variant only
        from the first layer on in which it silences other heads. Where a GPU fails, all is
        computed once more on the CPU.

        Args:
            ids: token ids, `[window, token]`.
            variants: the heads that each silences.
            watch: takes what the intact model's heads do, layer by layer; it needs a variant that
                silences none.

        Returns:
            Each window's mean cross-entropy over its tokens but the first, in nats,
            `[variant, window]`.
        """
        return self._engine.attempt(lambda model: _Pass(model, ids, variants, watch).run())


class _Pass:
    """One call of `Batches.losses`."""

    def __init__(
        self,
        model: LlamaTorch,
        ids: NDArray[np.int64],
        variants: Sequence[frozenset[Head]],
        watch: Watch | None,
    ) -> None:
        import torch

        from mha_viewer.models.llama_torch import rotary_angles

        device = model.lm_head.weight.device
        self._model = model
        self._ids = torch.from_numpy(ids).to(device)
        self._angles = rotary_angles(ids.shape[1], model.geometry, device)
        self._variants = variants
        self._watch = watch
        self._losses = np.empty((len(variants), len(ids)))

    def run(self) -> NDArray[np.float64]:
        import torch

        with torch.inference_mode():
            x = self._model.model.embed_tokens(self._ids)  #                           [B, T, W]
            self._climb(x, 0, range(len(self._variants)))
        return self._losses

    def _climb(self, x: Tensor, index: int, numbers: Iterable[int]) -> None:
        """Run the layers from `index` on for the variants that have come to `x`, `[B, T, W]`."""
        if index == len(self._model.model.layers):
            self._losses[list(numbers)] = self._loss(x)
            return
        layer: Layer = self._model.model.layers[index]  # type: ignore[assignment]
        z, pattern = layer.self_attn.attend(layer.input_layernorm(x), *self._angles)
        numbers = sorted(numbers, key=lambda number: self._silenced(number, index))
        if self._watch and any(not self._variants[number] for number in numbers):
            self._watch(index, Attended(pattern.cpu().numpy(), _contribution(layer, z)))
        del pattern
        for silenced, group in groupby(numbers, key=lambda number: self._silenced(number, index)):
            self._climb(_add(layer, x, z, silenced), index + 1, group)

    def _silenced(self, number: int, index: int) -> list[int]:
        return heads_in(self._variants[number], index + 1)

    def _loss(self, x: Tensor) -> NDArray[np.float64]:
        logits = self._model.lm_head(self._model.model.norm(x[:, :-1])).float()  #  [B, T-1, V]
        chosen = logits.gather(-1, self._ids[:, 1:, None]).squeeze(-1)
        losses: Tensor = logits.logsumexp(-1) - chosen  #                           [B, T-1]
        mean: NDArray[np.float64] = losses.cpu().double().mean(-1).numpy()
        return mean


def _add(layer: Layer, x: Tensor, z: Tensor, silenced: Sequence[int]) -> Tensor:
    """Add what the heads, `z` `[B, T, H·D]`, and the MLP make of the residual stream `x`."""
    if silenced:
        heads = z.clone().view(*z.shape[:2], -1, layer.self_attn.geometry.d_head)  # [B, T, H, D]
        heads[:, :, silenced] = 0
        z = heads.view(z.shape)
    x = x + layer.self_attn.o_proj(z)
    out: Tensor = x + layer.mlp(layer.post_attention_layernorm(x))
    return out


def _contribution(layer: Layer, z: Tensor) -> NDArray[np.float32]:
    geometry, project = layer.self_attn.geometry, layer.self_attn.o_proj.weight  #  [W, H·D]
    lengths = []
    for head in range(geometry.n_heads):
        part = slice(head * geometry.d_head, (head + 1) * geometry.d_head)
        added = z[..., part] @ project[:, part].T  #                                [B, T, W]
        lengths.append(added.norm(dim=-1).mean(dim=1).float().cpu().numpy())
    return np.stack(lengths, axis=1)
