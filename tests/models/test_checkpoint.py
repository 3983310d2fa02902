"""Model folders that are missing, damaged, of other shapes or unsafe, each with its sentence."""

from __future__ import annotations

import json
import pickle
import shutil
from pathlib import Path
from typing import Any

import numpy as np
import pytest
from numpy.testing import assert_array_equal
from safetensors.numpy import load_file, save_file

from mha_viewer.models.checkpoint import check_shapes, read_geometry, read_weights
from mha_viewer.models.geometry import CheckpointError, Geometry
from mha_viewer.models.language_model import EngineError
from mha_viewer.models.numpy_model import NumpyModel
from mha_viewer.models.opening import open_model
from mha_viewer.paths import MICRO
from mha_viewer.readings.kinds import probe
from mha_viewer.readings.reading import read_sentence
from tests.models.conftest import save_model


@pytest.fixture
def folder(llama_folder: Path, tmp_path: Path) -> Path:
    """A model folder to damage."""
    return Path(shutil.copytree(llama_folder, tmp_path / "model"))


def change_weights(folder: Path, **changes: np.ndarray[Any, Any] | None) -> None:
    weights = load_file(folder / "model.safetensors")
    for name, array in changes.items():
        if array is None:
            del weights[name]
        else:
            weights[name] = array
    save_file(weights, folder / "model.safetensors")


def change_config(folder: Path, **changes: Any) -> None:
    config = json.loads((folder / "config.json").read_text(encoding="utf-8"))
    (folder / "config.json").write_text(json.dumps(config | changes), encoding="utf-8")


def sentence_of(folder: Path) -> str:
    """Open a model that cannot be opened; return the one sentence that tells why."""
    with pytest.raises(CheckpointError) as raised:
        open_model(folder)
    sentence = str(raised.value)
    assert sentence.endswith(".")
    assert "\n" not in sentence
    return sentence


def test_that_a_missing_folder_is_told(tmp_path: Path) -> None:
    assert "There is no folder" in sentence_of(tmp_path / "nowhere")


def test_that_a_file_in_place_of_a_folder_is_told(tmp_path: Path) -> None:
    path = tmp_path / "model.safetensors"
    path.touch()
    assert "is a file; name the folder" in sentence_of(path)


def test_that_a_folder_without_configuration_is_told(tmp_path: Path) -> None:
    assert "There is no config.json" in sentence_of(tmp_path)


@pytest.mark.parametrize("text", ["", "{", "[]", '"text"', "\ufeff{}", "[" * 100_000])
def test_that_a_broken_configuration_is_told(folder: Path, text: str) -> None:
    (folder / "config.json").write_text(text, encoding="utf-8")
    assert "config.json" in sentence_of(folder)


def test_that_missing_weights_are_told(folder: Path) -> None:
    (folder / "model.safetensors").unlink()
    assert "There is no model.safetensors" in sentence_of(folder)


@pytest.mark.parametrize("name", ["pytorch_model.bin", "model.pt", "model.pkl"])
def test_that_a_pickle_is_refused_unopened(folder: Path, name: str) -> None:
    (folder / "model.safetensors").unlink()
    (folder / name).write_bytes(pickle.dumps(_Trap()))
    assert "pickle" in sentence_of(folder)


def test_that_a_pickle_under_another_name_is_not_opened(folder: Path) -> None:
    (folder / "model.safetensors").write_bytes(pickle.dumps(_Trap()))
    assert "damaged" in sentence_of(folder)


class _Trap:
    def __reduce__(self) -> tuple[Any, ...]:
        return pytest.fail, ("The pickle was opened.",)


@pytest.mark.parametrize("share", [0, 0.001, 0.5, 0.999])
def test_that_truncated_weights_are_told(folder: Path, share: float) -> None:
    path = folder / "model.safetensors"
    path.write_bytes(path.read_bytes()[: int(path.stat().st_size * share)])
    assert "damaged or cut short" in sentence_of(folder)


def test_that_a_missing_tensor_is_told(folder: Path) -> None:
    change_weights(folder, **{"model.norm.weight": None})
    assert "The weights lack model.norm.weight" in sentence_of(folder)


def test_that_a_tensor_of_another_shape_is_told(folder: Path) -> None:
    change_config(folder, intermediate_size=41)
    assert "has the shape 40 × 24 where config.json asks for 41 × 24" in sentence_of(folder)


def test_that_tensors_beside_the_model_s_are_passed_over(folder: Path) -> None:
    change_weights(folder, **{"model.rotary.inv_freq": np.arange(3)})
    assert "model.rotary.inv_freq" not in read_weights(folder, read_geometry(folder))


def test_that_weights_that_are_not_numbers_are_read_and_their_rows_counted(folder: Path) -> None:
    name = "model.layers.1.self_attn.q_proj.weight"
    broken = load_file(folder / "model.safetensors")[name]
    broken[:6] = np.nan  # the queries of head 2.1
    change_weights(folder, **{name: broken})
    model = NumpyModel(folder)
    reading = read_sentence(model, probe(model), "The little dog")
    n_tokens = len(reading.tokens)
    assert reading.invalid_rows == n_tokens * (1 + 4)  # head 2.1, and all of layer 3 after it
    assert reading.next_tokens == ()
    assert reading.loss is None
    assert reading.heads[4].entropy is None
    assert reading.heads[5].entropy is not None


@pytest.mark.parametrize("dtype", ["bfloat16", "float16"])
def test_that_half_precision_is_read_exactly(tmp_path: Path, dtype: str) -> None:
    import torch
    from safetensors.torch import load_file as load_torch

    folder = save_model(tmp_path, "llama", dtype)
    weights = read_weights(folder, read_geometry(folder))
    for name, tensor in load_torch(folder / "model.safetensors").items():
        assert tensor.dtype == getattr(torch, dtype)
        assert weights[name].dtype == np.float32
        assert_array_equal(weights[name], tensor.float().numpy())


def test_that_weights_in_several_files_are_read(folder: Path) -> None:
    geometry = read_geometry(folder)
    whole = read_weights(folder, geometry)
    names = sorted(whole)
    (folder / "model.safetensors").unlink()
    index: dict[str, str] = {}
    for part, chosen in enumerate((names[::2], names[1::2])):
        file = f"model-0000{part + 1}-of-00002.safetensors"
        save_file({name: whole[name] for name in chosen}, folder / file)
        index |= dict.fromkeys(chosen, file)
    (folder / "model.safetensors.index.json").write_text(json.dumps({"weight_map": index}))
    save_file({"other": np.zeros(3)}, folder / "consolidated.safetensors")
    parts = read_weights(folder, geometry)
    assert parts.keys() == whole.keys()
    for name in names:
        assert_array_equal(parts[name], whole[name])

    (folder / "model-00002-of-00002.safetensors").unlink()
    assert "lack the file model-00002-of-00002.safetensors" in sentence_of(folder)


@pytest.mark.parametrize("index", ["", "[]", "{}", '{"weight_map": 3}'])
def test_that_a_broken_index_is_told(folder: Path, index: str) -> None:
    (folder / "model.safetensors.index.json").write_text(index)
    assert "index.json is damaged" in sentence_of(folder)


@pytest.mark.parametrize(
    ("changes", "words"),
    [
        ({"model_type": "gpt2"}, "of type “gpt2”"),
        ({"attention_bias": True}, "biases"),
        ({"mlp_bias": True}, "biases"),
        ({"hidden_act": "gelu"}, "the activation “gelu”"),
        ({"use_sliding_window": True}, "sliding-window"),
        ({"rope_scaling": {"type": "linear", "factor": 2}}, "rotary positions of type “linear”"),
        (
            {"rope_parameters": {"rope_type": "llama3", "rope_theta": 5e5}},
            "rotary positions of type “llama3”",
        ),
        ({"rope_parameters": {"partial_rotary_factor": 0.5}}, "a part of each head"),
        ({"quantization_config": {"bits": 4}}, "quantised"),
        ({"num_key_value_heads": 3}, "4 heads in 3 groups"),
        ({"num_hidden_layers": 0}, "a size below 1"),
        ({"head_dim": 5}, "odd number"),
        ({"hidden_size": None}, "lacks a usable value"),
        ({"rms_norm_eps": "small"}, "lacks a usable value"),
        ({"hidden_size": float("inf")}, "lacks a usable value"),
        ({"num_hidden_layers": 10**12}, "lacks a usable value"),
        ({"rope_parameters": [1]}, "lacks a usable value"),
        ({"num_attention_heads": 0, "head_dim": None}, "lacks a usable value"),
        ({"model_type": "smollm3", "no_rope_layers": [1]}, "too few layers"),
    ],
)
def test_that_a_model_that_is_not_computed_is_refused(
    folder: Path, changes: dict[str, Any], words: str
) -> None:
    change_config(folder, **changes)
    assert words in sentence_of(folder)


def test_that_a_configuration_s_gaps_are_filled_as_transformers_does() -> None:
    import transformers

    sizes = {
        "num_hidden_layers": 9,
        "num_attention_heads": 4,
        "num_key_value_heads": 2,
        "hidden_size": 32,
        "intermediate_size": 8,
        "vocab_size": 16,
        "max_position_embeddings": 64,
        "rms_norm_eps": 1e-6,
        "pad_token_id": None,
    }
    for kind, config_class in {
        "llama": transformers.LlamaConfig,
        "smollm3": transformers.SmolLM3Config,
    }.items():
        full = config_class(**sizes).to_dict()
        assert Geometry.from_config({"model_type": kind, **sizes}) == Geometry.from_config(full)


def test_that_a_configuration_comes_back_as_it_was_written() -> None:
    geometry = read_geometry(MICRO)
    assert Geometry.from_config(geometry.to_config()) == geometry


def test_that_an_older_rope_theta_is_read() -> None:
    config = read_geometry(MICRO).to_config()
    assert Geometry.from_config(config | {"rope_theta": 123.0}).rope_theta == 123
    newer = {"rope_parameters": {"rope_theta": 99.0, "rope_type": "default"}}
    assert Geometry.from_config(config | newer).rope_theta == 99


def test_that_parameters_are_counted_once() -> None:
    import torch

    from mha_viewer.models.llama_torch import LlamaTorch

    geometry = read_geometry(MICRO)
    with torch.device("meta"):
        model = LlamaTorch(geometry)
    assert geometry.n_parameters == sum(p.numel() for p in model.parameters())
    check_shapes({name: tuple(p.shape) for name, p in model.state_dict().items()}, geometry)


def test_that_numpy_is_chosen_for_a_small_model_and_refuses_a_gpu() -> None:
    for engine in ("auto", "numpy"):
        model = open_model(engine=engine)
        assert (model.info.engine, model.info.device, model.info.note) == ("numpy", "cpu", "")
        assert model.info.path == MICRO
        assert model.info.name == "micro"
        model.close()
    with pytest.raises(EngineError, match="CPU only"):
        open_model(engine="numpy", device="cuda")
