"""Random edits of the site between two crawls. Each edit describes itself."""

from __future__ import annotations

from collections.abc import Callable

from tests.journeys.rounds.wiki import (
    DENIED,
    ELSEWHERE,
    GONE,
    MISSING,
    MOVED,
    OK,
    PREFIXES,
    REFRESH,
    TAGS,
    WORDS,
    Page,
    Wiki,
)


def edit(wiki: Wiki, times: int) -> list[str]:
    """Edit so often; returns what was done."""
    wiki.edited.clear()
    done = []
    for _ in range(times):
        make = wiki.chance.choice(EDITS)
        done.append(f"{make.__name__}: {make(wiki)}")
    return done


def some(wiki: Wiki, *, free: bool = False) -> tuple[str, Page]:
    """Any page but the start page; `free`: one that no other stands for."""
    taken = wiki.targets() if free else set()
    name = wiki.chance.choice([each for each in wiki.pages if each != "/" and each not in taken])
    return name, wiki.pages[name]


def plain(wiki: Wiki, but: str) -> str:
    """A page that is simply there, to stand for another."""
    fine = [
        name
        for name, page in wiki.pages.items()
        if name not in ("/", but) and (page.state, page.canonical, page.robots) == (OK, "", "")
    ]
    return wiki.chance.choice(fine)


def text(wiki: Wiki) -> str:
    """A page says something else."""
    name, page = some(wiki)
    page.text = wiki.words(name)
    wiki.changed(name)
    page.lies = wiki.lies and wiki.chance.random() < 0.3
    return name


def title(wiki: Wiki) -> str:
    """Another title."""
    name, page = some(wiki)
    page.title = f"Page {name} {wiki.chance.choice(WORDS)}{wiki.chance.randrange(100)}"
    wiki.changed(name)
    return name


def metas(wiki: Wiki) -> str:
    """Other attributes, and nothing else."""
    name, page = some(wiki)
    kind = wiki.chance.choice(("author", "description", "keywords"))
    page.metas = {kind: wiki.chance.choice(WORDS).title()} if wiki.chance.random() < 0.8 else {}
    wiki.changed(name)
    return name


def links(wiki: Wiki) -> str:
    """Other links, and nothing else; some are marked nofollow."""
    name, page = some(wiki)
    others = wiki.chance.sample([each for each in wiki.pages if each != "/"], 3)
    page.links = {each: wiki.chance.random() < 0.3 for each in others}
    wiki.changed(name)
    return name


def leave(wiki: Wiki) -> str:
    """A page is not there any more, or may not be read."""
    name, page = some(wiki)
    page.state = wiki.chance.choice((MISSING, GONE, DENIED))
    wiki.changed(name)
    return f"{name} {page.state}"


def come_back(wiki: Wiki) -> str:
    """A removed page is back, changed or not, and linked again: its row may have been purged."""
    away = [name for name, page in wiki.pages.items() if page.state != OK or page.robots]
    if not away:
        return "none"
    name = wiki.chance.choice(away)
    page = wiki.pages[name]
    page.state, page.target, page.robots, page.canonical = OK, "", "", ""
    if wiki.chance.random() < 0.5:
        page.text = wiki.words(name)
    wiki.changed(name)
    wiki.pages["/"].links.pop(name, None)
    wiki.pages["/"].links[name] = False
    wiki.changed("/")
    return name


def redirect(wiki: Wiki) -> str:
    """It leads elsewhere, for good or for now, by the header or by a refresh."""
    name, page = some(wiki, free=True)
    page.target, page.canonical, page.robots = plain(wiki, name), "", ""
    page.state = wiki.chance.choice((MOVED, ELSEWHERE, REFRESH))
    page.status = wiki.chance.choice((301, 308) if page.state == MOVED else (302, 303, 307))
    wiki.changed(name)
    return f"{name} {page.state} {page.status} {page.target}"


def move(wiki: Wiki) -> str:
    """A page goes to a new address that only its old one names."""
    name, page = some(wiki, free=True)
    if page.state != OK:
        return "none"
    new = f"/w/{wiki.count}.html"
    wiki.count += 1
    wiki.pages[new] = Page(page.text, page.title, dict(page.links), dict(page.metas), tag=page.tag)
    page.state, page.status, page.target, page.canonical, page.robots = MOVED, 301, new, "", ""
    wiki.edited.add(new)
    wiki.changed(name)
    return f"{name} {new}"


def copy(wiki: Wiki) -> str:
    """It calls itself a copy of another one, or no longer."""
    name, page = some(wiki, free=True)
    page.canonical = "" if page.canonical else plain(wiki, name)
    page.beside = wiki.chance.random() < 0.4
    wiki.changed(name)
    return f"{name} {page.canonical}"


def unindexed(wiki: Wiki) -> str:
    """It asks not to be found, or its links not to be followed, in the page or beside it; or no longer."""
    name, page = some(wiki)
    page.robots = "" if page.robots else wiki.chance.choice(("noindex", "nofollow", "noindex, nofollow", "none"))
    if page.robots == "none":
        page.robots = "noindex, nofollow"
    page.beside = wiki.chance.random() < 0.4
    wiki.changed(name)
    return f"{name} {page.robots} {'beside' * page.beside}"


def robots(wiki: Wiki) -> str:
    """Other lines of robots.txt."""
    wiki.rules = [(each, False) for each in wiki.chance.sample(PREFIXES, wiki.chance.randrange(2))]
    if wiki.rules and wiki.chance.random() < 0.5:
        wiki.rules.append((f"{wiki.rules[0][0]}{wiki.chance.randrange(10)}", True))
    wiki.chance.shuffle(wiki.rules)
    return str(wiki.rules)


def sitemap(wiki: Wiki) -> str:
    """Other dates, one entry less, or one for something that was never there."""
    for name in list(wiki.mapped):
        wiki.mapped[name] = wiki.date()
    if wiki.mapped and wiki.chance.random() < 0.5:
        wiki.mapped.pop(wiki.chance.choice(list(wiki.mapped)))
    if wiki.chance.random() < 0.3:
        wiki.mapped[f"/w/none{wiki.chance.randrange(1000)}.html"] = wiki.date()
    return f"{len(wiki.mapped)} entries"


def tag(wiki: Wiki) -> str:
    """The server confirms it in another way from now on."""
    name, page = some(wiki)
    page.tag = wiki.chance.choice(TAGS)
    wiki.edited.add(name)
    return f"{name} {page.tag}"


def more(wiki: Wiki) -> str:
    """A new page."""
    return wiki.add()


EDITS: tuple[Callable[[Wiki], str], ...] = (
    text, text, title, metas, links, leave, leave, come_back, come_back, redirect, move, copy, unindexed, unindexed,
    robots, sitemap, tag, more, more,
)  # fmt: skip
