"""The shape of a Llama-form model, as its Hugging Face `config.json` states it."""

from __future__ import annotations

from collections.abc import Mapping
from dataclasses import dataclass
from typing import Any

#: No model has so many; a file that claims more would fill the memory before it is refused.
_MOST_LAYERS = 10_000


class CheckpointError(Exception):
    """A model directory cannot be read; the message is one sentence for the user."""


@dataclass(frozen=True, slots=True)
class Geometry:
    """Sizes of a Llama-form decoder; all counts are of heads, layers, tokens or dimensions."""

    n_layers: int
    n_heads: int
    n_kv_heads: int
    d_head: int
    width: int
    d_mlp: int
    vocab_size: int
    context: int
    rms_eps: float
    rope_theta: float
    rope_layers: tuple[bool, ...]
    tied_embeddings: bool

    @classmethod
    def from_config(cls, config: Mapping[str, Any]) -> Geometry:
        """Read the geometry out of a `llama` or `smollm3` configuration.

        SmolLM3 marks the layers with rotary positions by 1 in `no_rope_layers`. What a
        configuration leaves out is as transformers has it.

        Raises:
            CheckpointError: the configuration is of another kind, or lacks a size.
        """
        kind = config.get("model_type")
        if kind not in ("llama", "smollm3"):
            raise CheckpointError(
                f"This model is of type “{kind}”; open a model of type llama or smollm3 instead."
            )
        try:
            unsupported = _unsupported(config)
            geometry = cls._read(config)
        except (LookupError, TypeError, ValueError, AttributeError, ArithmeticError) as error:
            raise CheckpointError(
                f"The file config.json lacks a usable value ({error}); "
                "save the model again with its full configuration."
            ) from error
        unsupported = unsupported or geometry._impossible()
        if unsupported:
            raise CheckpointError(
                f"This model has {unsupported}, which this program does not compute; "
                "open a Llama-form model without it."
            )
        return geometry

    @classmethod
    def _read(cls, config: Mapping[str, Any]) -> Geometry:
        smollm3 = config["model_type"] == "smollm3"
        n_layers = int(config["num_hidden_layers"])
        if n_layers > _MOST_LAYERS:
            raise ValueError(f"{n_layers} layers")
        n_heads = int(config["num_attention_heads"])
        width = int(config["hidden_size"])
        # transformers 5 writes rope_parameters, older versions rope_theta.
        rope = config.get("rope_parameters") or {}
        theta = rope.get("rope_theta") or config.get("rope_theta")
        rope_layers = config.get("no_rope_layers") if smollm3 else [1] * n_layers
        if rope_layers is None:
            interval = int(config.get("no_rope_layer_interval", 4))
            rope_layers = [(layer + 1) % interval for layer in range(n_layers)]
        return cls(
            n_layers=n_layers,
            n_heads=n_heads,
            n_kv_heads=int(config.get("num_key_value_heads") or n_heads),
            d_head=int(config.get("head_dim") or width // n_heads),
            width=width,
            d_mlp=int(config["intermediate_size"]),
            vocab_size=int(config["vocab_size"]),
            context=int(config["max_position_embeddings"]),
            rms_eps=float(config["rms_norm_eps"]),
            rope_theta=float(theta or (2e6 if smollm3 else 1e4)),
            rope_layers=tuple(bool(layer) for layer in rope_layers[:n_layers]),
            tied_embeddings=bool(config.get("tie_word_embeddings", smollm3)),
        )

    def _impossible(self) -> str:
        sizes = (self.n_layers, self.n_heads, self.n_kv_heads, self.d_head, self.width)
        if min(*sizes, self.d_mlp, self.vocab_size, self.context) < 1:
            return "a size below 1"
        if self.n_heads % self.n_kv_heads:
            return f"{self.n_heads} heads in {self.n_kv_heads} groups"
        if len(self.rope_layers) != self.n_layers:
            return "rotary positions stated for too few layers"
        if self.d_head % 2 and any(self.rope_layers):
            return "rotary positions in heads of an odd number of dimensions"
        return ""

    def to_config(self) -> dict[str, Any]:
        """Return the SmolLM3 configuration that transformers opens as this geometry."""
        return {
            "architectures": ["SmolLM3ForCausalLM"],
            "model_type": "smollm3",
            "hidden_size": self.width,
            "intermediate_size": self.d_mlp,
            "num_hidden_layers": self.n_layers,
            "num_attention_heads": self.n_heads,
            "num_key_value_heads": self.n_kv_heads,
            "head_dim": self.d_head,
            "vocab_size": self.vocab_size,
            "max_position_embeddings": self.context,
            "rms_norm_eps": self.rms_eps,
            "rope_theta": self.rope_theta,
            "no_rope_layers": [int(layer) for layer in self.rope_layers],
            "use_sliding_window": False,
            "layer_types": ["full_attention"] * self.n_layers,
            "hidden_act": "silu",
            "attention_bias": False,
            "mlp_bias": False,
            "tie_word_embeddings": self.tied_embeddings,
            "bos_token_id": 0,
            "eos_token_id": None,
            "pad_token_id": None,
            "torch_dtype": "float32",
        }

    def shapes(self) -> dict[str, tuple[int, ...]]:
        """Return the shape of every tensor of the model, under its Hugging Face name."""
        queries, keys = self.n_heads * self.d_head, self.n_kv_heads * self.d_head
        shapes: dict[str, tuple[int, ...]] = {
            "model.embed_tokens.weight": (self.vocab_size, self.width),
            "model.norm.weight": (self.width,),
        }
        for layer in range(self.n_layers):
            prefix = f"model.layers.{layer}."
            shapes |= {
                prefix + "input_layernorm.weight": (self.width,),
                prefix + "self_attn.q_proj.weight": (queries, self.width),
                prefix + "self_attn.k_proj.weight": (keys, self.width),
                prefix + "self_attn.v_proj.weight": (keys, self.width),
                prefix + "self_attn.o_proj.weight": (self.width, queries),
                prefix + "post_attention_layernorm.weight": (self.width,),
                prefix + "mlp.gate_proj.weight": (self.d_mlp, self.width),
                prefix + "mlp.up_proj.weight": (self.d_mlp, self.width),
                prefix + "mlp.down_proj.weight": (self.width, self.d_mlp),
            }
        if not self.tied_embeddings:
            shapes["lm_head.weight"] = (self.vocab_size, self.width)
        return shapes

    @property
    def n_parameters(self) -> int:
        """Number of parameters, tied embeddings counted once."""
        total = 0
        for shape in self.shapes().values():
            size = 1
            for extent in shape:
                size *= extent
            total += size
        return total


def _unsupported(config: Mapping[str, Any]) -> str:
    for name in ("rope_scaling", "rope_parameters"):
        rope = config.get(name) or {}
        kind = rope.get("rope_type") or rope.get("type") or "default"
        if kind != "default":
            return f"rotary positions of type “{kind}”"
        if rope.get("partial_rotary_factor", 1) != 1:
            return "rotary positions in a part of each head"
    if config.get("attention_bias") or config.get("mlp_bias"):
        return "biases in its projections"
    if config.get("hidden_act", "silu") != "silu":
        return f"the activation “{config['hidden_act']}”"
    if config.get("use_sliding_window"):
        return "sliding-window attention"
    if config.get("quantization_config"):
        return "quantised weights"
    return ""
