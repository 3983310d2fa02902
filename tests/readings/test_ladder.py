import json
from collections.abc import Callable
from dataclasses import replace
from pathlib import Path
from statistics import stdev
from typing import Any

import pytest

from mha_viewer.models.geometry import CheckpointError
from mha_viewer.readings.ladder import (
    by_cache,
    by_heads,
    cache_sentence,
    heads_sentence,
    overlap,
    read_ladder,
)
from tests.made_ladder import MADE, make_rung, table


def write(folder: Path, content: object) -> Path:
    (folder / "ladder.json").write_text(json.dumps(content), encoding="utf-8")
    return folder


def test_that_a_table_is_read_as_it_is_written(tmp_path: Path) -> None:
    (rung,) = read_ladder(write(tmp_path, table()))
    assert rung.folder == tmp_path / "heads-4"
    assert (rung.tokens, rung.seeds, rung.losses) == (3_000_320, (1, 2), (4.5, 4.7))
    assert rung.mean_loss == pytest.approx(4.6)
    assert rung.spread == pytest.approx(stdev([4.5, 4.7]))
    assert rung.name == "4 heads of 32 dimensions"
    assert replace(rung, n_kv_heads=1).name == "4 heads of 32 dimensions, 1 key/value head"


def test_that_a_single_seed_has_no_spread() -> None:
    assert make_rung(4, 4, (4.5,)).spread is None


def test_that_a_missing_ladder_is_named(tmp_path: Path) -> None:
    with pytest.raises(CheckpointError, match=f"no ladder.json in {tmp_path}"):
        read_ladder(tmp_path)


def _lose_a_loss(kind: dict[str, Any]) -> None:
    kind["validation_losses"] = [4.5]


def _make_it_nan(kind: dict[str, Any]) -> None:
    kind["validation_losses"] = [4.5, float("nan")]


def _take_its_heads(kind: dict[str, Any]) -> None:
    del kind["n_heads"]


def _give_it_none(kind: dict[str, Any]) -> None:
    kind["n_kv_heads"] = 0


@pytest.mark.parametrize("damage", [_lose_a_loss, _make_it_nan, _take_its_heads, _give_it_none])
def test_that_a_damaged_kind_is_refused(
    damage: Callable[[dict[str, Any]], None], tmp_path: Path
) -> None:
    content = table()
    damage(content["kinds"][0])
    with pytest.raises(CheckpointError, match=r"ladder\.json is damaged"):
        read_ladder(write(tmp_path, content))


@pytest.mark.parametrize("content", [[], {"kinds": [{}]}, {**table(), "kinds": 3}, None])
def test_that_another_file_is_refused(content: object, tmp_path: Path) -> None:
    with pytest.raises(CheckpointError, match="damaged"):
        read_ladder(write(tmp_path, content))


def test_that_an_empty_table_is_refused(tmp_path: Path) -> None:
    with pytest.raises(CheckpointError, match="holds no kind"):
        read_ladder(write(tmp_path, {**table(), "kinds": []}))


def test_that_a_table_leads_to_no_other_folder(tmp_path: Path) -> None:
    content = table()
    content["kinds"][0]["model"] = "../../elsewhere"
    (rung,) = read_ladder(write(tmp_path, content))
    assert rung.folder == tmp_path / "elsewhere"


def test_that_four_heads_stand_in_both_series() -> None:
    assert [rung.n_heads for rung in by_heads(MADE)] == [1, 2, 4, 8, 16]
    assert [(rung.n_heads, rung.n_kv_heads) for rung in by_cache(MADE)] == [(4, 1), (4, 2), (4, 4)]


def test_that_seeds_overlap_where_one_of_the_worse_reaches_the_worst_of_the_better() -> None:
    better = make_rung(4, 4, (4.5, 4.6))
    assert overlap(better, make_rung(8, 8, (4.6, 4.8)))
    assert overlap(make_rung(8, 8, (4.6, 4.8)), better)
    assert not overlap(better, make_rung(8, 8, (4.61, 4.8)))


def test_that_the_sentences_say_what_the_numbers_do() -> None:
    assert heads_sentence(MADE) == (
        "The mean loss is lowest with 4 heads of 32 dimensions, 4.620 nats per token, and highest "
        "with 1 head of 128 dimensions, 0.200 more; the best's seeds overlap with those of "
        "8 heads."
    )
    assert cache_sentence(MADE) == (
        "4 heads with 1 key/value head instead of 4 keep 512 bytes a token instead of 2,048, and "
        "the mean loss is 0.090 nats per token higher; the seeds' losses do not overlap."
    )


def test_that_the_sentences_turn_round_with_the_numbers() -> None:
    turned = (
        make_rung(1, 1, (4.1, 4.2)),
        make_rung(2, 2, (4.2, 4.3)),
        make_rung(4, 4, (4.15, 4.45)),
        make_rung(4, 1, (4.1, 4.2)),
    )
    assert "lowest with 1 head of 128 dimensions" in heads_sentence(turned)
    assert "highest with 4 heads of 32 dimensions" in heads_sentence(turned)
    assert heads_sentence(turned).endswith("overlap with those of 2 heads and 4 heads.")
    assert "0.150 nats per token lower; the seeds' losses overlap." in cache_sentence(turned)
    assert "no other's seeds" in heads_sentence((turned[0], make_rung(2, 2, (5.0, 5.1))))


def test_that_one_seed_is_said_to_be_one() -> None:
    single = tuple(make_rung(r.n_heads, r.n_kv_heads, r.losses[:1]) for r in MADE)
    assert heads_sentence(single).endswith("more; it is one seed each.")
    assert cache_sentence(single).endswith("higher; it is one seed each.")


def test_that_nothing_is_said_without_a_comparison() -> None:
    assert heads_sentence(MADE[:1]) == ""
    assert cache_sentence(by_heads(MADE)) == ""
