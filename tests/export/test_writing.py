"""A file is written whole or not at all."""

from __future__ import annotations

import errno
import os
import stat
import sys
from pathlib import Path

import pytest

from mha_viewer.export.errors import ExportError
from mha_viewer.export.writing import write_whole

only_posix = pytest.mark.skipif(sys.platform == "win32", reason="permissions of POSIX")


def full_disk(*_: object) -> None:
    raise OSError(errno.ENOSPC, os.strerror(errno.ENOSPC))


def refused(path: Path) -> str:
    """Return the sentence with which writing to a path is refused."""
    with pytest.raises(ExportError) as caught:
        write_whole(path, b"new")
    sentence = str(caught.value)
    assert sentence[0].isupper()
    assert sentence.endswith(".")
    assert "\n" not in sentence
    assert "Errno" not in sentence
    return sentence


def test_that_a_file_holds_what_was_written_and_nothing_lies_beside_it(tmp_path: Path) -> None:
    write_whole(tmp_path / "figure.png", b"new")
    assert (tmp_path / "figure.png").read_bytes() == b"new"
    assert os.listdir(tmp_path) == ["figure.png"]


@pytest.mark.parametrize("step", ["fsync", "replace"])
def test_that_a_failure_leaves_the_old_file_and_no_other(
    tmp_path: Path, monkeypatch: pytest.MonkeyPatch, step: str
) -> None:
    path = tmp_path / "figure.png"
    path.write_bytes(b"old")
    monkeypatch.setattr(os, step, full_disk)
    assert "no room left" in refused(path)
    assert path.read_bytes() == b"old"
    assert os.listdir(tmp_path) == ["figure.png"]


def test_that_an_interruption_leaves_no_half_file(
    tmp_path: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    def interrupt(_: object) -> None:
        raise KeyboardInterrupt

    monkeypatch.setattr(os, "fsync", interrupt)
    with pytest.raises(KeyboardInterrupt):
        write_whole(tmp_path / "figure.png", b"new")
    assert os.listdir(tmp_path) == []


def test_that_the_old_file_is_whole_until_the_new_one_is(
    tmp_path: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    path = tmp_path / "figure.png"
    path.write_bytes(b"old")
    seen: list[bytes] = []
    replace = os.replace

    def watched(part: Path, target: Path) -> None:
        seen.extend((target.read_bytes(), part.read_bytes()))
        replace(part, target)

    monkeypatch.setattr(os, "replace", watched)
    write_whole(path, b"new")
    assert seen == [b"old", b"new"]
    assert path.read_bytes() == b"new"


def test_that_a_missing_folder_is_named(tmp_path: Path) -> None:
    assert f"no folder {tmp_path / 'none'}" in refused(tmp_path / "none" / "figure.png")


def test_that_a_file_is_no_folder(tmp_path: Path) -> None:
    (tmp_path / "file").write_bytes(b"old")
    assert "no folder" in refused(tmp_path / "file" / "figure.png")


def test_that_a_folder_as_target_is_refused(tmp_path: Path) -> None:
    (tmp_path / "figure.png").mkdir()
    assert "a folder of the name figure.png" in refused(tmp_path / "figure.png")


def test_that_a_name_can_be_too_long(tmp_path: Path) -> None:
    assert "too long" in refused(tmp_path / ("a" * 300 + ".png"))
    assert os.listdir(tmp_path) == []


def test_that_a_name_may_be_as_long_as_the_disk_allows(tmp_path: Path) -> None:
    path = tmp_path / ("a" * 251 + ".png")
    write_whole(path, b"new")
    assert path.read_bytes() == b"new"


@pytest.mark.parametrize("name", ["nul\0.png", "surrogate\ud800.png"])
@only_posix
def test_that_a_name_no_file_can_have_is_refused(tmp_path: Path, name: str) -> None:
    assert "no name can have" in refused(tmp_path / name)


@only_posix
def test_that_a_folder_that_may_not_be_written_to_is_named(
    tmp_path: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    def denied(*_: object) -> int:
        raise PermissionError(errno.EACCES, os.strerror(errno.EACCES))

    monkeypatch.setattr(os, "open", denied)  # root may write anywhere
    assert f"{tmp_path} may not be written to" in refused(tmp_path / "figure.png")


@only_posix
def test_that_a_write_protected_file_stays(tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> None:
    path = tmp_path / "figure.png"
    path.write_bytes(b"old")
    monkeypatch.setattr(os, "access", lambda *_: False)  # root may write anything
    assert "write-protected" in refused(path)
    assert path.read_bytes() == b"old"


@only_posix
def test_that_a_device_is_not_replaced(tmp_path: Path) -> None:
    os.mkfifo(tmp_path / "figure.png")
    assert "no ordinary file" in refused(tmp_path / "figure.png")
    assert stat.S_ISFIFO((tmp_path / "figure.png").stat().st_mode)


@only_posix
def test_that_permissions_are_kept_and_new_files_follow_the_umask(tmp_path: Path) -> None:
    old, new = tmp_path / "old.png", tmp_path / "new.png"
    old.write_bytes(b"old")
    old.chmod(0o604)
    before = os.umask(0o027)
    try:
        write_whole(old, b"new")
        write_whole(new, b"new")
    finally:
        os.umask(before)
    assert stat.S_IMODE(old.stat().st_mode) == 0o604
    assert stat.S_IMODE(new.stat().st_mode) == 0o640


@only_posix
def test_that_a_link_stays_a_link(tmp_path: Path) -> None:
    (tmp_path / "link.png").symlink_to(tmp_path / "figure.png")
    write_whole(tmp_path / "link.png", b"new")
    assert (tmp_path / "link.png").is_symlink()
    assert (tmp_path / "figure.png").read_bytes() == b"new"
