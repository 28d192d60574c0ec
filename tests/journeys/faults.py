"""The list of planted faults: mistakes somebody could make in the product, each with the check that must find it.

`make prove` plants each into a copy of the package and runs its check, which has to fail: MANNERS and SIGHT without a
browser, PAGES in one, OUTAGES by the proofs of databases that go away and of full disks. Those of crawls that are
killed and of the armour have their own proofs beside these; EVERY is all of them, for the page of proofs.
"""

from __future__ import annotations

from typing import NamedTuple

from tests.journeys.ages.plants import PLANTS as AGED
from tests.journeys.hostile.plants import PLANTS as ARMOUR
from tests.journeys.plants import PLANTS as CRAWLS
from tests.journeys.plants import Plant
from tests.reliability.disk.plants import PLANTS as DISKS
from tests.reliability.plants import PLANTS as INTERLEAVED


class Fault(NamedTuple):
    """A plant, and what pytest is told to run that must then fail."""

    plant: Plant
    check: tuple[str, ...]


def _fault(name: str, file: str, before: str, after: str, *check: str) -> Fault:
    return Fault(Plant(name, file, ((before, after),)), check)


_ROBOTS = "tests/sources/web/test_robots.py"
_RULES = "tests/sources/test_rules.py"
_ACCESS = "tests/sources/web/test_access.py"
_ACCIDENTS = "tests/journeys/test_accidents.py"
_BRAKING = "tests/crawl/test_braking.py"
_ROUNDS = ("tests/journeys/test_rounds.py", "-k", "sqlite")
_RECRAWL = ("tests/journeys/test_recrawl.py", "-k", "sqlite")
_BEGINNINGS = "tests/contracts/test_index_beginnings.py"
_ASKED = "tests/portal/test_asked.py"
_SMALL = ("tests/journeys/test_small_changes.py",)
_MODES = ("tests/journeys/test_modes.py",)

MANNERS = (
    _fault("Disallow is ignored", "sources/web/robots.py", "return RobotsRuling(not disallow,",
           "return RobotsRuling(True,", _ROBOTS),
    _fault("the first rule counts instead of the longest", "sources/web/robots.py", "return _Rule((-octets, not allow,",
           "return _Rule((0, False,", _ROBOTS),
    _fault("robots.txt that answers 5xx allows everything", "sources/web/robots.py",
           'return FetchVerdict(Reading.DISALLOW_ALL, f"robots.txt {answered}',
           'return FetchVerdict(Reading.ALLOW_ALL, f"robots.txt {answered}', _ROBOTS),
    _fault("links marked nofollow are followed", "crawl/reading.py",
           'return tuple(link for link in said.links if not link.nofollow) if unfollowed else said.links,',
           "return said.links,", "tests/crawl/test_visit.py"),
    _fault("a page that says nofollow is followed", "crawl/reading.py",
           'if not {"nofollow", "none"}.isdisjoint((*content.directives, *said.directives)):', "if False:",
           "tests/crawl/test_visit.py"),
    _fault("noindex is indexed", "sources/web/gates.py", 'found = {"noindex", "none"}.intersection(directives) or',
           "found = set() or", *_RECRAWL),
    _fault("the port is no part of an origin", "model/address.py",
           "return Origin(scheme, host, int(port) if port else", "return Origin(scheme, host, 0 if port else", _ACCESS),
    _fault("credentials go to any origin", "sources/web/access.py",
           "return place.origin == name if place.origin else name in self._own", "return True", _ACCESS),
    _fault("cookies are for whole public suffixes", "sources/web/cookies.py",
           "if _is_ip(host) or is_public_suffix(asked):", "if _is_ip(host):", "tests/sources/web/test_cookies.py"),
    _fault("a suffix admits names that only end so", "sources/rules/reading.py",
           "or _bare(at.host).endswith(below))", "or below[1:] in _bare(at.host))", _RULES),
    _fault("Crawl-delay is not obeyed", "sources/web/pace.py", "if asked and min(asked, MAX_CRAWL_DELAY_S) > delay:",
           "if False:", "tests/sources/web/test_pace.py"),
    _fault("what is examined is indexed at once", "crawl/modes.py", "    if mode not in WITHHELD:\n",
           "    if True:\n", *_MODES, "-k", "pruned and sqlite"),
    _fault("what was examined and dropped is believed", "frontier/examined.py",
           "        recall.recall(tx, numbers)\n", "        pass\n", *_MODES, "-k", "believed"),
    _fault("a page whose links were not read is confirmed", "crawl/modes.py",
           "document = structs.replace(outcome.document, links=(), content_hash=b\"\")\n"
           "    content = unconfirmed(outcome.content)\n",
           "document = structs.replace(outcome.document, links=())\n    content = outcome.content\n",
           *_MODES, "-k", "without_links"),
    _fault("a test crawls the source itself", "operate/rehearsal.py", "    if not test:\n", "    if True:\n",
           *_MODES, "-k", "test_leaves"),
    _fault("receivers are told of lost links in every run", "crawl/delta.py", "        if number in new or not known\n",
           "", "tests/journeys/test_delta.py", "-k", "told and sqlite"),
    _fault("every condition counts where all have to", "crawl/modified.py",
           "    return any(known) if settings.modified_when == \"any\" else all(known)\n", "    return any(known)\n",
           "tests/crawl/test_modified.py"),
    _fault("what was said is lost where a set says otherwise", "operate/parameters.py",
           "(name in without or name in whole.shared)", "name in without", "tests/cli/test_parameters.py", "-k",
           "nearest"),
    _fault("a set in use is deleted", "operate/sharing.py", "    if seen.effects and not used:\n", "    if False:\n",
           "tests/cli/test_parameters.py", "-k", "without_a_word"),
    _fault("an empty listing is believed", "sources/files/source.py", "if empty and not was_empty:", "if False:",
           _ACCIDENTS, "-k", "empty and listing"),
    _fault("another folder in the place of the root is believed", "sources/files/source.py",
           "if before is not None and not identity.is_same(before[0]):", "if False:",
           "tests/journeys/test_files.py", "-k", "absent_root and sqlite"),
    _fault("what could not be listed is taken for gone", "crawl/sweep.py",
           "gone = [number for number, address in absent if not is_below(address, unlisted)]",
           "gone = [number for number, address in absent]", "tests/journeys/test_files.py", "-k", "without_permission"),
    _fault("nothing is ever held", "frontier/brake.py", "if documents <= 0:", "if True:",
           _ACCIDENTS, "-k", "404 and sqlite"),
    _fault("what is held is not found again", "crawl/holding.py", "        hiding.show_again(tx, row.source_id)\n", "",
           _BRAKING),
    _fault("what is too much is out of sight until a run ends", "crawl/braking.py",
           "    while more:\n", "    while False:\n", _BRAKING),
    _fault("what a stopped run has found gone is out of sight", "crawl/course.py",
           "            braking.put_right(tx, now)\n", "            pass\n", _BRAKING),
    _fault("a page without an answer is gone at once", "frontier/retry.py", "UNREACHABLE_TRIES = 5",
           "UNREACHABLE_TRIES = 1", "tests/frontier/test_fate.py"),
    _fault("a 404 is forgotten at once", "frontier/purging.py", "RUNS = 2\n", "RUNS = 1\n", *_RECRAWL),
    _fault("a page that is gone is found until the run ends", "frontier/hiding.py",
           "return frozenset(row[0] for row in tx.rows(_EVERYTHING))", "return frozenset()", *_RECRAWL),
    _fault("a failure takes its document away", "frontier/fate.py",
           "return OutcomeKind.FAILED, outcome.status, True", "return OutcomeKind.FAILED, outcome.status, False",
           "tests/frontier/test_fate.py"),
    _fault("a 304 confirms what robots.txt had excluded", "sources/web/source.py",
           "found = resource.indexed and resource.outcome != OutcomeKind.EXCLUDED", "found = resource.indexed",
           _ACCIDENTS, "-k", "forbids and sqlite"),
    _fault("a database older than the index is crawled with", "operate/crawl.py",
           "    indexing.refuse_older_store(house)\n", "", _ACCIDENTS, "-k", "older and sqlite"),
    _fault("other attributes alone are no change", "crawl/reading.py",
           'b"" if by_main else attributes_said(said)', 'b""',
           *_SMALL),
    _fault("a header is not read that comes with the same bytes", "crawl/visit.py",
           "content_hash == resource.content_hash and not content.says_beside:",
           "content_hash == resource.content_hash and not content.directives:", *_SMALL),
    _fault("what could not be had after an edit is not judged by it", "crawl/rows.py",
           "if not resource.content_hash and _is_unread(outcome):", "if False:", *_SMALL),
    _fault("a page may have another one removed that is not there", "crawl/reading.py",
           "if not (stands or (stands is None and resource.status == Status.DUPLICATE_IGNORED)):", "if False:",
           "tests/crawl/test_reading.py"),
    _fault("everything is asked for without conditions", "sources/web/source.py",
           "return tuple(filter(None, lines))", "return ()", *_RECRAWL),
    _fault("equal text is written to the index again", "crawl/reading.py",
           "if resource.indexed and not is_modified(source, resource, content, document, self._rights):", "if False:",
           *_RECRAWL),
    _fault("rights of a known file are not looked at again", "sources/files/discovery.py",
           'return f"{version}-{rights}-{tag_of(folders)}"', "return version", *_ROUNDS),
    _fault("a secret is not masked", "base/masking.py", "    for each in _hidden:\n", "    for each in ():\n",
           "tests/base/test_masking.py"),
    Fault(Plant("a secret is kept as it is", "catalog/vault.py",
                (("return self._opener().encrypt(data)", "return data"),
                 ("return self._opener().decrypt(sealed)", "return sealed"))),
          ("tests/journeys/test_access.py", "-k", "password")),
    _fault("a kept text is taken for markup", "extract/readable.py", "        safe = escape(text)\n",
           "        safe = text\n", "tests/extract/test_readable.py", "-k", "text"),
    _fault("a link of a kept page stays in its frame", "extract/readable.py", '"target": "_blank", ', "",
           "tests/extract/test_readable.py", "-k", "window"),
    _fault("words of others are suggested", "index/reading.py", "asked.letters, within)", "asked.letters)",
           _BEGINNINGS, "-k", "alone"),
    _fault("words that may not be quoted are suggested", "index/reading.py", "    if asked.key is None:\n",
           "    if False:\n", _BEGINNINGS, "-k", "quoted"),
    _fault("a result that was not shown counts as opened", "portal/asked.py",
           "            if place is None:\n                return\n", "            place = place or 1\n",
           _ASKED, "-k", "shown"),
    _fault("a secret is kept with what was searched for", "portal/asked.py", "masked(question.text)", "question.text",
           _ASKED, "-k", "secrets"),
    _fault("a copy is shown that its page does not want shown", "operate/copies.py",
           "    _allow(frame.attributes, hit.url)\n", "", "tests/operate/test_copies.py", "-k", "wish"),
)  # fmt: skip

_VECTORS = "tests/pages/test_vectors.py"
_PAGE = "tests/pages/test_every_page.py"
_KEYS = "tests/pages/test_keyboard.py"
_RESULTS, _HIT = "portal/templates/results.html", "portal/templates/hit.html"
_FRAME, _LAYOUT = "portal/templates/frame.html", "portal/templates/layout.html"
_STYLE = "portal/static/cormorant.css"
PAGES = (
    _fault("a title is taken for markup", _HIT, "{{ hit.title }}</a>{% else %}", "{{ hit.title | safe }}</a>{% else %}",
           _VECTORS, "-k", "results"),
    _fault("a snippet is taken for markup", _HIT, "{% else %}{{ piece.text }}{% endif %}",
           "{% else %}{{ piece.text | safe }}{% endif %}", _VECTORS, "-k", "results"),
    _fault("a step of an address is taken for markup", _HIT, "<bdi>{{ step }}</bdi>",
           "<bdi>{{ step | safe }}</bdi>", _VECTORS, "-k", "results"),
    _fault("a kept page may do what it likes", "extract/readable.py", "safe = _SANITIZER.sanitize_node(root)",
           "safe = root", _VECTORS, "-k", "copy"),
    _fault("suggestions cannot be gone through by keys", "portal/static/suggest.js",
           'else if (event.key === "ArrowDown") step(1);', 'else if (event.key === "Down") step(1);',
           "tests/pages/test_suggestions.py", "-k", "chosen_by_keys"),
    _fault("a form that was opened from a query is empty", "portal/advanced.py",
           "taken_apart(q) if q.strip() else _fields(given)", "_fields(given)", "tests/pages/test_advanced.py"),
    _fault("a question is taken for markup", "portal/templates/nothing.html", "“<bdi>{{ q }}</bdi>”",
           "“<bdi>{{ q | safe }}</bdi>”", _VECTORS, "-k", "question"),
    _fault("a question ends the attribute it stands in", _FRAME, 'value="{{ q }}"', 'value="{{ q | safe }}"',
           _VECTORS, "-k", "question"),
    _fault("an address that runs a script is a link", "portal/showing.py",
           'web = hit.url.startswith(("http://", "https://"))', 'web = not hit.url.startswith("file:")',
           "tests/portal/test_showing.py", "-k", "only_an_address"),
    Fault(Plant("nothing is escaped, and there is no policy", "portal/site.py",
                (("autoescape=True", "autoescape=False"),
                 ("    return Guard(Door(app, keys, exposure, Policy.of(app), partial(faults.told, look)), hosts)",
                  "    return Door(app, keys, exposure, Policy.of(app), partial(faults.told, look))"))),
          (_VECTORS, "-k", "results")),
    _fault("a script stands in the page", _LAYOUT, "</body>",
           "<script>document.documentElement.dataset.planted = 1</script></body>", _PAGE, "-k", "little"),
    _fault("pages have no policy", "portal/guard.py", '    b"content-security-policy": POLICY.encode(),\n', "",
           _PAGE, "-k", "policy"),
    _fault("scripts may stand in pages", "portal/guard.py", "script-src 'self'; img-src 'self'; form-action",
           "script-src 'self' 'unsafe-inline'; img-src 'self'; form-action", _PAGE, "-k", "policy"),
    _fault("a kept copy is one of our pages", "portal/guard.py",
           '"sandbox allow-popups allow-popups-to-escape-sandbox; default-src', '"default-src',
           _PAGE, "-k", "stranger"),
    _fault("a page asks somebody else", _LAYOUT, '<link rel="icon"',
           '<link rel="stylesheet" href="http://127.0.0.1:9/x.css"><link rel="icon"', _PAGE, "-k", "little"),
    _fault("what is sent is not packed", "portal/site.py", 'GZipMiddleware(StaticFiles(directory=HERE / "static"))',
           'StaticFiles(directory=HERE / "static")', _PAGE, "-k", "little"),
    _fault("a link leads nowhere", _HIT, 'href="/cached/{{ hit.id }}', 'href="/copies/{{ hit.id }}',
           _PAGE, "-k", "link"),
    _fault("a form leads nowhere", _FRAME, 'action="/search"', 'action="/find"', _PAGE, "-k", "form"),
    _fault("a page is wider than a telephone", _STYLE, ".column { width: min(52rem, 100% - 2 * var(--s4));",
           ".column { width: 52rem;", _PAGE, "-k", "pictures"),
    _fault("an element is not closed", _RESULTS, "{% if grouped %}</section>{% endif %}", "",
           "tests/pages/test_markup.py"),
    _fault("the box has no label", _FRAME, '<label class="hide" for="q">Search</label>', "",
           "tests/pages/test_accessible.py", "-k", "results"),
    _fault("quiet words are too pale", _STYLE, "--ink-2: #425154;  --ink-3: #57666a;",
           "--ink-2: #425154;  --ink-3: #9fb0b4;", "tests/pages/test_accessible.py", "-k", "results"),
    _fault("it cannot be seen where the focus is", _STYLE,
           ":focus-visible { outline: 3px solid var(--accent); outline-offset: 2px;", ":focus-visible { outline: none;",
           _KEYS, "-k", "seen"),
    _fault("the first link skips nothing", _LAYOUT, 'href="#main"', 'href="#top"', _KEYS, "-k", "skips"),
    _fault("keys are taken from whoever types", "portal/static/keys.js", "    if (typing(event.target)) return;\n", "",
           _KEYS, "-k", "types"),
    _fault("single keys cannot be switched off", "portal/frame.py", 'request.cookies.get("keys") != "off"', "True",
           _KEYS, "-k", "switched"),
    _fault("keys are praised where no scripts run", _RESULTS, '<span class="sum faint" data-keys hidden>',
           '<span class="sum faint" data-keys>', _KEYS, "-k", "nothing_is_said"),
    _fault("every page of results is the first", "portal/finding.py", "(self.page - 1) * self.per", "0",
           "tests/pages/test_reader.py", "-k", "back"),
    _fault("a chosen theme is forgotten", "portal/frame.py", "max_age=_YEAR_S", "max_age=0",
           "tests/pages/test_reader.py", "-k", "switched"),
    _fault("a search in one source cannot be widened", "portal/templates/nothing.html", '<a href="{{ clear }}">',
           '<a href="{{ address() }}">', "tests/pages/test_newcomer.py"),
)  # fmt: skip

_SIGHT = ("tests/journeys/test_sight.py", "-k", "never_had")
SIGHT = (
    _fault("what everybody asks for is counted without asking who asks", "search/reader.py",
           "            found.total, found.reachable, took_ms,",
           "            self._index.count() if isinstance(parsed.query, ask.Everything) else found.total,\n"
           "            found.reachable, took_ms,",
           *_SIGHT),
    _fault("what is only counted is counted for everybody", "index/compile.py",
           "[(Occur.Must, asked), *self._sight.clauses]",
           "[(Occur.Must, asked), *(self._sight.clauses if search.limit else ())]", *_SIGHT),
    _fault("what may not be read is taken for a misspelling", "index/dictionary.py",
           "held = {other: sight.holding(other) for other, by in apart.items() if by == distance}",
           'held = {other: self._searcher.doc_freq("text", other) for other, by in apart.items() if by == distance}',
           *_SIGHT),
    _fault("a word is as rare as it is among all documents", "index/sight.py", "        if self._complete:\n",
           "        if True:\n", *_SIGHT),
    _fault("a copy is shown without asking who asks", "operate/copies.py",
           '    if hit is None:\n'
           '        raise NotFoundError("There is no such document, or it is not for you to see.")\n',
           '    hit = hit or Hit(number, "", "", "", (), 0.0, "", "", "", 0, None, False, 0)\n', *_SIGHT),
    _fault("copies are counted that may not be read", "operate/searching.py",
           "    return answer\n",
           "    with house.store.read() as tx:\n"
           "        hashes = dict(map(tuple, tx.rows(sa.select(content.c.id, content.c.content_hash))))\n"
           "    same = list(hashes.values())\n"
           '    again = __import__("dataclasses").replace\n'
           "    more = tuple(again(hit, duplicates=same.count(hashes[hit.id]) - 1) for hit in answer.hits)\n"
           "    return again(answer, hits=more if question.fold else answer.hits)\n", *_SIGHT),
    _fault("what is denied is not asked", "index/sight.py",
           '            (Occur.MustNot, self.terms("deny", principals)),\n', "", *_SIGHT),
    _fault("a source is named of which nothing may be seen", "operate/searching.py",
           "if (count := shelf.count(name, reader))}", "if (count := shelf.count(name, reader)) >= 0}", *_SIGHT),
    _fault("languages count in which there is nothing that may be read", "index/sight.py",
           "found = self._searcher.aggregate(self.query, asked)",
           "found = self._searcher.aggregate(tantivy.Query.all_query(), asked)",
           "tests/contracts/test_index_leaves.py", "-k", "language_of"),
    _fault("words that may not be read take the places of others", "index/dictionary.py",
           "held = {other: sight.holding(other) for other, by in apart.items() if by == distance}",
           "held = {each: sight.holding(each) for each in list(apart)[:MOST_ALIKE] if apart[each] == distance}",
           *_SIGHT),
    _fault("everybody administers", "portal/admission.py",
           "    return Scope.ADMIN if at_home else Scope.SEARCH\n", "    return Scope.ADMIN\n", *_SIGHT),
)  # fmt: skip

_CACHE = ("tests.journeys.disks", "--pages", "200", "--by", "a stranger", "--only", "cache")
_INDEX = (*_CACHE[:-1], "index")
_AWAY = ("tests.journeys.outages", "--pages", "300", "--storm", "9", "--away", "10", "--crowd", "3")
OUTAGES = (
    _fault("who lost the database does not wait for it to be back", "app/session.py", "    if name != WEB:\n",
           "    if False:\n", *_AWAY),
    Fault(Plant("what a lost connection has rolled back is counted all the same", "crawl/dispatch.py", (
        ("            lost, put_right = self._settle(batch, counters)\n",
         "            try:\n                lost, put_right = self._settle(batch, counters)\n"
         "            except Exception as error:\n                if type(error).__name__ != 'Unreachable':\n"
         "                    raise\n                __import__('cormorant.app.awaiting').app.awaiting.database("
         "self._means.store.url)\n                lost, put_right = self._settle(batch, counters)\n"),
        ("            runs.count(tx, self.order.run, means.owner, counters)\n        return lost",
         "            __import__('cormorant.base.clock').base.clock.pause(0.7)\n"
         "            runs.count(tx, self.order.run, means.owner, counters)\n        return lost"),
    )), _AWAY),
    _fault("a connection is not looked at before it is used", "store/drivers.py", "        pool_pre_ping=True,\n", "",
           *_AWAY),
    _fault("a server without a free connection is taken for a refusal", "store/drivers.py",
           "_CROWDED.search(text)):\n        return Unreachable(",
           "_CROWDED.search(text)):\n        return StoreError(",
           *_AWAY),
    _fault("what there was no room for is taken for kept", "cache/writer.py",
           "            self._give_back()\n            self._fail(error)\n",
           "            self._give_back()\n            return\n", *_CACHE),
    _fault("visits go on although a disk is full", "crawl/room.py", "    if usage.free >= least(usage.total):\n",
           "    if True:\n", *_INDEX),
    _fault("the disk of the index is not looked at", "operate/disks.py", "    return found + [",
           "    return found or [", *_INDEX),
)  # fmt: skip

EVERY: tuple[tuple[Plant, str], ...] = (
    *((fault.plant, ", ".join(fault.check)) for fault in MANNERS),
    *((each, "the proof of kills") for each in CRAWLS),
    *((each.plant, f"the proof of {'hostile servers' if each.hosts else 'forbidden addresses'}") for each in ARMOUR),
    *((fault.plant, ", ".join(fault.check)) for fault in (*PAGES, *SIGHT)),
    *((each, "the simulation of interleavings") for each in INTERLEAVED),
    *((each.plant, f"`python -m {' '.join((each.run, *each.given))}`") for each in DISKS),
    *((fault.plant, f"python -m {' '.join(fault.check)}") for fault in OUTAGES),
    *((each, "the proof of older data folders") for each in AGED),
)
"""Every fault that is planted, and by what it must be found."""
