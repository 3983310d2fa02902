"""Model folders: micro, stories260K where it lies beside the checkout, and tiny ones made here."""

from __future__ import annotations

import warnings
from collections.abc import Callable
from pathlib import Path
from typing import Any

import pytest
from tokenizers import Tokenizer, models, pre_tokenizers, processors, trainers

from mha_viewer.paths import MICRO

STORIES = Path(__file__).parents[3] / "shared" / "models" / "stories260K-hf"
SENTENCE = "The little dog ran after the ball because the little dog was very happy. The little"
VOCABULARY = 300


def save_tokenizer(path: Path) -> None:
    """Save a byte-level tokenizer of `VOCABULARY` tokens, a start token before each text."""
    tokenizer = Tokenizer(models.BPE())
    tokenizer.pre_tokenizer = pre_tokenizers.ByteLevel(add_prefix_space=False)
    trainer = trainers.BpeTrainer(
        vocab_size=VOCABULARY,
        special_tokens=["<s>"],
        initial_alphabet=pre_tokenizers.ByteLevel.alphabet(),
        show_progress=False,
    )
    tokenizer.train_from_iterator([SENTENCE] * 2, trainer)
    tokenizer.post_processor = processors.TemplateProcessing(
        single="<s> $A", special_tokens=[("<s>", 0)]
    )
    tokenizer.save(str(path))


def save_model(folder: Path, kind: str, dtype: str = "float32", **sizes: Any) -> Path:
    """Let transformers save a random model of type `llama` or `smollm3`, and a tokenizer."""
    import torch
    import transformers

    config_class, model_class = {
        "llama": (transformers.LlamaConfig, transformers.LlamaForCausalLM),
        "smollm3": (transformers.SmolLM3Config, transformers.SmolLM3ForCausalLM),
    }[kind]
    config = config_class(
        **{
            "vocab_size": VOCABULARY,
            "hidden_size": 24,
            "intermediate_size": 40,
            "num_hidden_layers": 3,
            "num_attention_heads": 4,
            "num_key_value_heads": 2,
            "max_position_embeddings": 64,
            "initializer_range": 0.2,
            "bos_token_id": 0,
            "eos_token_id": None,
            "pad_token_id": None,
        }
        | sizes
    )
    torch.manual_seed(7)
    model = model_class(config).to(getattr(torch, dtype))
    model.save_pretrained(folder)
    save_tokenizer(folder / "tokenizer.json")
    return folder


MakeModel = Callable[..., Path]


@pytest.fixture(scope="session")
def grouped_folder(tmp_path_factory: pytest.TempPathFactory) -> Path:
    """A SmolLM3 model: groups of two heads, rotary positions in layers 1 and 3, tied."""
    return save_model(
        tmp_path_factory.mktemp("grouped"), "smollm3", head_dim=10, no_rope_layers=[1, 0, 1]
    )


@pytest.fixture(scope="session")
def llama_folder(tmp_path_factory: pytest.TempPathFactory) -> Path:
    """A Llama model with an output matrix of its own."""
    return save_model(
        tmp_path_factory.mktemp("llama"), "llama", rope_parameters={"rope_theta": 500.0}
    )


@pytest.fixture(params=["micro", "stories260K", "grouped", "llama"])
def model_folder(request: pytest.FixtureRequest) -> Path:
    """Each model in turn."""
    if request.param == "micro":
        return MICRO
    if request.param == "stories260K":
        if not STORIES.is_dir():
            pytest.skip(f"stories260K does not lie at {STORIES}")
        return STORIES
    folder: Path = request.getfixturevalue(f"{request.param}_folder")
    return folder


def open_in_transformers(folder: Path, **options: Any) -> Any:
    """Open a model in transformers with eager attention, the reference of these tests."""
    import torch
    import transformers

    with warnings.catch_warnings():
        warnings.simplefilter("ignore")  # what another library warns of is not ours to fix
        return transformers.AutoModelForCausalLM.from_pretrained(
            folder, attn_implementation="eager", dtype=torch.float32, **options
        ).eval()
