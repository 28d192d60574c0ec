"""The report of a run for people: what became of the documents stands first, and adds up."""

from __future__ import annotations

from pathlib import Path

from tests.cli.world import InstalledCli


def summary(cli: InstalledCli) -> list[str]:
    """Crawl, and return the lines of the report without its head."""
    return [line.strip() for line in cli.fine("crawl", "papers").out.splitlines()[1:] if line.strip()]


def test_the_report_says_what_became_of_the_documents(tmp_path: Path) -> None:
    folder = tmp_path / "papers"
    folder.mkdir()
    for name in ("gulls", "nets", "rota", "tides"):
        (folder / f"{name}.txt").write_text(f"All about {name}, in some words.")
    (folder / "blob.bin").write_bytes(bytes(range(256)) * 8)
    cli = InstalledCli(tmp_path / "data")
    cli.fine("source", "add", "files", "papers", "--set", f"path={folder}")
    first = summary(cli)
    assert first[0] == "4 new, 1 excluded"
    assert "newly indexed                  4" in first
    assert any(line.endswith(" read") for line in first), "no request was sent, so nothing came over a wire"
    (folder / "gulls.txt").write_text("All about gulls, in other words.")
    again = summary(cli)
    assert (again[0], "newly indexed                  0" in again) == (
        "1 changed, 3 unchanged, 1 excluded", True,
    )  # fmt: skip
    (folder / "nets.txt").rename(folder / "nets-1962.txt")
    (folder / "rota.txt").unlink()
    (folder / "songs.txt").write_text("All about songs, which are new.")
    assert summary(cli)[0] == "1 new, 1 moved, 1 deleted, 2 unchanged, 1 address gone, 1 excluded"
    record = cli.fine("run", "show", "--json").object
    shown = {name: record[name] for name in ("new", "changed", "moved", "deleted", "unchanged", "gone")}
    assert shown == {"new": 1, "changed": 0, "moved": 1, "deleted": 1, "unchanged": 2, "gone": 1}
    assert summary(cli)[0] == "4 unchanged, 1 excluded", "what is excluded as before is no unchanged document"
    (folder / "songs.txt").unlink()
    (folder / "blob.bin").unlink()
    assert summary(cli)[0] == "1 deleted, 3 unchanged, 2 addresses gone", "one of them never was a document"


def test_a_run_that_failed_at_once_says_why_without_counters(tmp_path: Path) -> None:
    folder = tmp_path / "papers"
    folder.mkdir()
    cli = InstalledCli(tmp_path / "data")
    cli.fine("source", "add", "files", "papers", "--set", f"path={folder}")
    folder.rmdir()
    done = cli.run("crawl", "papers")
    head, *others = [line for line in done.out.splitlines() if line.strip()]
    assert head.startswith("Run 1 of 'papers': failed after ")
    assert "pages a second" not in head
    assert others == []
    assert str(folder) in done.err
