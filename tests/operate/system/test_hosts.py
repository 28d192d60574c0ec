"""By which names a site is found, and what a list of many holds open."""

from __future__ import annotations

from collections.abc import Iterator
from pathlib import Path

import pytest
import sqlalchemy as sa

from cormorant.app.build import BuildPlan
from cormorant.app.commands.open import opened
from cormorant.app.settings import InstallationSettings
from cormorant.base.errors import NotFoundError
from cormorant.operate.installation import Installation
from cormorant.operate.system import hosts
from cormorant.store.schema import site

KEYS = ("[::1]:8080", "example.org", "example.org:8080", "file:/srv/docs%20x", "xn--bcher-kva.example")


@pytest.fixture
def house(tmp_path: Path) -> Iterator[Installation]:
    with opened(BuildPlan(tmp_path / "data", InstallationSettings()), new=True) as made:
        with made.store.begin() as tx:
            for key in KEYS:
                tx.execute(sa.insert(site).values(key=key))
        yield made


@pytest.mark.parametrize(
    ("asked", "wanted"),
    [
        *((key, (key,)) for key in KEYS if key != "example.org"),
        ("example.org", ("example.org", "example.org:8080")),
        ("Example.ORG.", ("example.org", "example.org:8080")),
        ("example.org:443", ("example.org",)),
        ("https://example.org:443/x?y", ("example.org",)),
        ("http://anna@example.org:8080", ("example.org:8080",)),
        ("bücher.example", ("xn--bcher-kva.example",)),
        ("::1", ("[::1]:8080",)),
        ("/srv/docs x/", ("file:/srv/docs%20x",)),
        ("file:///srv/docs%20x", ("file:/srv/docs%20x",)),
    ],
)
def test_a_site_is_found_as_it_is_listed_and_as_people_write_it(
    asked: str, wanted: tuple[str, ...], house: Installation
) -> None:
    assert tuple(each["site"] for each in hosts.shown(house, asked)) == wanted


@pytest.mark.parametrize("asked", ["", "example.com", "ample.org", "http://", "a b", "/srv"])
def test_what_is_no_known_site(asked: str, house: Installation) -> None:
    with pytest.raises(NotFoundError, match="cormorant site list"):
        hosts.shown(house, asked)


def test_a_list_is_read_a_page_at_a_time(house: Installation, monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setattr(hosts, "PAGE", 2)
    listed = hosts.listed(house)
    assert next(listed)["site"] == KEYS[0]
    with house.store.begin() as tx:
        tx.execute(sa.insert(site).values(key="zoo.example"))
    assert [each["site"] for each in listed] == [*KEYS[1:], "zoo.example"]
