"""An external search engine has the same documents as our index, whatever happens to documents and engine."""

from __future__ import annotations

from collections.abc import Iterator, Mapping
from pathlib import Path
from typing import Any

import pytest

from cormorant.operate.delivery import receivers
from tests.cli.world import InstalledCli
from tests.journeys.crawling import Crawler
from tests.journeys.home import Home
from tests.receivers.cluster import Cluster
from tests.receivers.engine import PARTS, Engine, started

COUNT = 150


@pytest.fixture
def cluster() -> Iterator[Cluster]:
    with Cluster() as cluster:
        yield cluster


@pytest.fixture
def real(tmp_path: Path) -> Iterator[Engine]:
    if not any(PARTS.glob("opensearch-*.jar")):
        pytest.skip("There is no OpenSearch in build/opensearch: `make opensearch` fetches it.")
    (tmp_path / "engine").mkdir()
    with started(tmp_path / "engine") as engine:
        yield engine


def shown(home: Home) -> Mapping[str, Any]:
    with home.house() as house:
        return receivers.shown(house, "engine")


def story(home: Home, crawls: Crawler, engine: Cluster | Engine) -> None:
    """A folder is crawled, changes, gets other rights and is sent again; the engine is looked at after each."""
    folder = home.folder.parent / "papers"
    folder.mkdir()
    for number in range(COUNT):
        (folder / f"{number}.txt").write_text(f"paper {number} of the harbour")
    home.add_source("files", "papers", {"path": str(folder)})
    with home.house() as house:
        receivers.add(house, "opensearch", "engine", None, {"url": engine.url, "index": "papers", "batch": 40})

    def there() -> dict[str, str]:
        assert (shown(home)["backlog"], shown(home)["error"]) == (0, None)
        return {each["url"].rpartition("/")[2]: each["text"] for each in engine.documents("papers").values()}

    crawls.crawl(home, "papers")
    assert there() == {f"{number}.txt": f"paper {number} of the harbour" for number in range(COUNT)}
    (folder / "0.txt").write_text("paper of the mole")
    (folder / "1.txt").unlink()
    (folder / "2.txt").rename(folder / "renamed.txt")
    crawls.crawl(home, "papers")
    now = there()
    assert (now["0.txt"], now["renamed.txt"]) == ("paper of the mole", "paper 2 of the harbour")
    assert now.keys() == {path.name for path in folder.iterdir()}
    assert len(engine.found("papers", "everyone")) == COUNT - 1
    home.edit_source("papers", {"grants": ["group:hr"], "denies": ["user:bob"]})
    crawls.crawl(home, "papers")
    there()
    assert engine.found("papers", "everyone") == engine.found("papers", "group:hr", "user:bob") == set()
    assert len(engine.found("papers", "group:hr")) == COUNT - 1
    engine.forget("papers")
    commands = InstalledCli(home.folder, {"CORMORANT_STORE": home.store} if home.store else {})
    commands.fine("receiver", "resend", "engine")
    assert there().keys() == {path.name for path in folder.iterdir()}
    assert len(engine.found("papers", "group:hr")) == COUNT - 1


def test_an_engine_that_stumbles_is_in_step_in_the_end(home: Home, crawls: Crawler, cluster: Cluster) -> None:
    cluster.plan += [429, "ok", "nonsense"]
    story(home, crawls, cluster)
    names = [name for each in cluster.bulks for _, name, _ in each]
    assert len({name.partition("-")[0] for name in names}) == 1, "all are of one installation"


@pytest.mark.server
def test_a_real_one_is_in_step(file_home: Home, crawls: Crawler, real: Engine) -> None:
    story(file_home, crawls, real)
