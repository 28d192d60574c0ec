"""A key of one's own: made once, private, turned, and missed with clear words."""

from __future__ import annotations

import threading
from pathlib import Path

import pytest

from cormorant.base.errors import SecretSealed
from cormorant.store.catalog.keyring import NAME, Vault


def test_the_first_use_makes_a_private_key(tmp_path: Path) -> None:
    vault = Vault(tmp_path)
    assert not vault.exists
    sealed = vault.seal(b"value")
    assert b"value" not in sealed
    assert vault.path.stat().st_mode & 0o777 == 0o600
    assert vault.is_private
    assert Vault(tmp_path).open(sealed) == b"value"
    assert [path.name for path in tmp_path.iterdir()] == ["secret.key"]


def test_many_at_once_make_one_key(tmp_path: Path) -> None:
    sealed: list[bytes] = []
    threads = [threading.Thread(target=lambda: sealed.append(Vault(tmp_path).seal(b"value"))) for _ in range(8)]
    for each in threads:
        each.start()
    for each in threads:
        each.join()
    assert [Vault(tmp_path).open(each) for each in sealed] == [b"value"] * 8


def test_what_was_changed_or_is_anothers_does_not_open(tmp_path: Path) -> None:
    (tmp_path / "other").mkdir()
    vault, other = Vault(tmp_path), Vault(tmp_path / "other")
    sealed = vault.seal(b"value")
    other.seal(b"x")
    assert vault.open(sealed[:-4] + b"AAAA") is None
    assert other.open(sealed) is None
    assert Vault(tmp_path / "nowhere").open(sealed) is None


def test_a_new_key_opens_what_the_old_one_sealed_until_it_is_forgotten(tmp_path: Path) -> None:
    vault, before = Vault(tmp_path), Vault(tmp_path)
    old = vault.seal(b"value")
    vault.add_key()
    new = before.seal(b"value")
    assert vault.open(old) == vault.open(new) == b"value"
    vault.keep_newest_key()
    assert vault.open(old) is None
    assert before.open(new) == b"value", "one that was open before goes by the file as it is now"
    assert vault.path.stat().st_mode & 0o777 == 0o600


@pytest.mark.parametrize("text", [b"", b"not a key\n"])
def test_a_file_without_a_key_is_named(text: bytes, tmp_path: Path) -> None:
    (tmp_path / "secret.key").write_bytes(text)
    with pytest.raises(SecretSealed, match=r"secret.key holds no key"):
        Vault(tmp_path).seal(b"value")


def test_the_name_of_a_new_key_is_durable_before_anything_is_sealed_by_it(
    tmp_path: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    """What it seals may lie in a database on another machine, whose power stays on."""
    there: list[bytes] = []
    monkeypatch.setattr(
        "cormorant.store.catalog.keyring.sync_folder", lambda folder: there.append((folder / NAME).read_bytes())
    )
    vault = Vault(tmp_path)
    vault.seal(b"value")
    first = vault.path.read_bytes()
    vault.add_key()
    both = vault.path.read_bytes()
    vault.keep_newest_key()
    assert there == [first, both, vault.path.read_bytes()]
    assert both.endswith(first)
