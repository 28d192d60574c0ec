"""What is served, and what must a crawler find there?

Real documentation packages when they can be had, generated pages otherwise; one host a site, 127.0.1.1 and up on
one port. Every host has a front page at ``/`` that links the site's entries and a folder that robots.txt forbids.
"""

from __future__ import annotations

import json
import os
from collections.abc import Iterator
from dataclasses import asdict, dataclass
from pathlib import Path

from bench import generated
from bench.debian import Packages
from bench.places import FRONTS, GENERATED, REACH
from bench.reference import FOLLOWED, FORBIDDEN, Reach, walk
from bench.sites import SITES, Site

ENOUGH_PAGES = 20_000
ENOUGH_HOSTS = 15
_WANTED_PAGES = 22_000
_WANTED_HOSTS = 18
_MOST_HOSTS = 254
_AGE = 1_700_000_000  # seconds since the epoch; the front pages' Last-Modified
_FORBIDDEN_PAGES = 3


@dataclass(frozen=True, slots=True)
class Host:
    """A site on its address, with what the reference crawl found there."""

    name: str
    origin: str  # which package in which version, or "generated"
    address: str
    root: Path
    front: Path
    reach: Reach


@dataclass(frozen=True, slots=True)
class Corpus:
    """The hosts of one run."""

    hosts: tuple[Host, ...]
    port: int

    @property
    def starts(self) -> list[str]:
        """The start addresses, one a host."""
        return [f"http://{site}/" for site in self.sites]

    @property
    def sites(self) -> list[str]:
        """The hosts with their port."""
        return [f"{host.address}:{self.port}" for host in self.hosts]

    @property
    def pages(self) -> int:
        """How many pages links lead to, front pages included."""
        return sum(len(host.reach.pages) for host in self.hosts)

    @property
    def page_bytes(self) -> float:
        """The average size of a page."""
        return sum(host.reach.page_bytes for host in self.hosts) / max(1, self.pages)

    @property
    def links(self) -> float:
        """The average number of followed links of a page, repetitions included."""
        return sum(host.reach.links for host in self.hosts) / max(1, self.pages)

    def part(self, pages: int) -> Corpus:
        """The first hosts, until there are about as many pages."""
        return Corpus(tuple(_take(iter(self.hosts), pages, None)), self.port)

    @property
    def full(self) -> bool:
        """Whether figures of this corpus may be published."""
        return self.pages >= ENOUGH_PAGES and len(self.hosts) >= ENOUGH_HOSTS


def build(port: int, pages: int | None = None, hosts: int | None = None, *, invented: bool = False) -> Corpus:
    """The corpus for a run: all of it, or as many sites as give ``pages`` pages on at most ``hosts`` hosts."""
    small = pages is not None or hosts is not None
    if not invented:
        corpus = Corpus(tuple(_take(_documentation(), pages, hosts)), port)
        if corpus.full or (small and corpus.hosts):
            return corpus
    return Corpus(tuple(_take(_generated(pages), pages, hosts)), port)


def _take(offered: Iterator[Host], pages: int | None, hosts: int | None) -> Iterator[Host]:
    """Hosts in their order until there are enough of them."""
    if pages is not None:
        wanted_pages, wanted_hosts = pages, 1
    else:
        wanted_pages, wanted_hosts = _WANTED_PAGES, _WANTED_HOSTS
    found = 0
    for taken, host in enumerate(offered, 1):
        found += len(host.reach.pages)
        yield host
        if taken == (hosts or _MOST_HOSTS) or (found >= wanted_pages and taken >= wanted_hosts):
            return


def _documentation() -> Iterator[Host]:
    """The documentation packages that can be had, each as a host."""
    packages = Packages()
    number = 0
    for site in SITES:
        for package in site.packages:
            tree = packages.tree(package)
            root = _root(tree, site) if tree else None
            if root:
                number += 1
                version = packages.version(package)
                yield _host(number, site.name, f"{package} {version}", root, site.entries)
                break


def _root(tree: Path, site: Site) -> Path | None:
    """The folder of an unpacked package that holds the site's first entry; never a symbolic link to it."""
    folders = (path for path in sorted(tree.glob(site.root)) if not path.is_symlink())
    return next((folder for folder in folders if (folder / site.entries[0]).is_file()), None)


def _generated(pages: int | None) -> Iterator[Host]:
    """Generated sites, written when they are not there yet; smaller ones for a small run."""
    size = generated.PAGES if pages is None else max(1, min(generated.PAGES, pages // 5))
    for number in range(1, generated.SITES + 1):
        root = GENERATED / f"{size}-pages" / f"site{number}"
        if not root.is_dir():
            part = root.with_suffix(".part")
            generated.write(part, number, size)
            part.rename(root)
        yield _host(number, f"site{number}", f"generated {size}", root, ("index.html",))


def _host(number: int, name: str, origin: str, root: Path, entries: tuple[str, ...]) -> Host:
    """A site as host ``number``, its front page written and its pages known."""
    front = _front(name, tuple(entry for entry in entries if (root / entry).is_file()))
    return Host(name, origin, f"127.0.1.{number}", root, front, _reach(name, origin, root, front))


def _front(name: str, entries: tuple[str, ...]) -> Path:
    """Write what a host serves on top of its package: front page, robots.txt, the forbidden folder."""
    folder = FRONTS / name
    secrets = [f"{FORBIDDEN}{number}.html" for number in range(1, _FORBIDDEN_PAGES + 1)]
    links = "\n".join(f'<li><a href="{link}">{link}</a></li>' for link in [f"/{entry}" for entry in entries] + secrets)
    files = {
        "index.html": _html(f"Documentation of {name}", f"<ul>\n{links}\n</ul>"),
        "robots.txt": f"User-agent: *\nDisallow: {FORBIDDEN}\n",
        **{secret.lstrip("/"): _html("Private", "<p>No crawler reads this.</p>") for secret in secrets},
    }
    for path, text in files.items():
        file = folder / path
        file.parent.mkdir(parents=True, exist_ok=True)
        file.write_text(text, encoding="utf-8")
        os.utime(file, (_AGE, _AGE))
    return folder


def _html(title: str, body: str) -> str:
    return (
        f'<!DOCTYPE html>\n<html lang="en"><head><meta charset="utf-8"><title>{title}</title></head>\n'
        f"<body><h1>{title}</h1>\n{body}\n</body></html>\n"
    )


def _reach(name: str, origin: str, root: Path, front: Path) -> Reach:
    """The reference crawl of a site: walked once, then kept for this version of its package."""
    record = REACH / f"{name} {origin} {'-'.join(FOLLOWED)}.json".replace("/", "-").replace(" ", "_")
    if record.is_file():
        kept = json.loads(record.read_text(encoding="utf-8"))
        return Reach(**{**kept, "pages": set(kept["pages"])})
    print(f"  walking {name} ({origin})", flush=True)
    reach = walk(root, front / "index.html")
    record.parent.mkdir(parents=True, exist_ok=True)
    record.write_text(json.dumps({**asdict(reach), "pages": sorted(reach.pages)}), encoding="utf-8")
    return reach
