"""The list of planted faults: plausible mistakes in the product, each with the check that must find it.

`make prove` plants each into a copy of the package and runs its check, which has to fail: MANNERS and SIGHT without a
browser, PAGES in one, OUTAGES by the proofs of outages and of full disks. Faults in crawls that are killed and in the
defences against hostile servers have proofs of their own. EVERY lists all faults, for the page of proofs.
"""

from __future__ import annotations

from typing import NamedTuple

from tests.journeys.ages.plants import PLANTS as AGED
from tests.journeys.hostile.plants import PLANTS as ARMOUR
from tests.journeys.plants import PLANTS as CRAWLS, Plant
from tests.reliability.disk.plants import PLANTS as DISKS
from tests.reliability.plants import PLANTS as INTERLEAVED


class Fault(NamedTuple):
    """A plant, and the arguments of the pytest run that must then fail."""

    plant: Plant
    check: tuple[str, ...]


def _fault(name: str, file: str, before: str, after: str, *check: str) -> Fault:
    return Fault(Plant(name, file, ((before, after),)), check)


_ROBOTS = "tests/sources/web/test_robots.py"
_RULES = "tests/sources/test_rules.py"
_ACCESS = "tests/sources/web/auth/test_credentials.py"
_ACCIDENTS = "tests/journeys/test_accidents.py"
_BRAKING = "tests/crawl/run/test_deletion_watch.py"
_ROUNDS = ("tests/journeys/test_rounds.py", "-k", "sqlite")
_RECRAWL = ("tests/journeys/test_recrawl.py", "-k", "sqlite")
_BEGINNINGS = "tests/contracts/test_index_beginnings.py"
_ASKED = "tests/web/test_query_recorder.py"
_SMALL = ("tests/journeys/test_small_changes.py",)
_MODES = ("tests/journeys/test_modes.py",)

MANNERS = (
    _fault("Disallow is ignored", "sources/web/robots.py", "return RobotsRuling(not disallow,",
           "return RobotsRuling(True,", _ROBOTS),
    _fault("the first rule of robots.txt wins instead of the longest", "sources/web/robots.py",
           "return _Rule((-octets, not allow,",
           "return _Rule((0, False,", _ROBOTS),
    _fault("a robots.txt that answers 5xx allows everything", "sources/web/robots.py",
           'return FetchVerdict(RobotsAnswer.DISALLOW_ALL, f"robots.txt {answered}',
           'return FetchVerdict(RobotsAnswer.ALLOW_ALL, f"robots.txt {answered}', _ROBOTS),
    _fault("links marked nofollow are followed", "crawl/visit/convert.py",
           'return tuple(link for link in said.links if not link.nofollow) if unfollowed else said.links,',
           "return said.links,", "tests/crawl/visit/test_visit.py"),
    _fault("a page that says nofollow is followed", "crawl/visit/convert.py",
           'if not {"nofollow", "none"}.isdisjoint((*content.directives, *said.directives)):', "if False:",
           "tests/crawl/visit/test_visit.py"),
    _fault("noindex is indexed", "sources/web/filters.py", 'found = {"noindex", "none"}.intersection(directives) or',
           "found = set() or", *_RECRAWL),
    _fault("the port is no part of an origin", "model/url.py",
           "return Origin(scheme, host, int(port) if port else", "return Origin(scheme, host, 0 if port else", _ACCESS),
    _fault("credentials go to any origin", "sources/web/auth/credentials.py",
           "return place.origin == name if place.origin else name in self._own", "return True", _ACCESS),
    _fault("cookies are for whole public suffixes", "sources/web/auth/cookies.py",
           "if _is_ip(host) or is_public_suffix(asked):", "if _is_ip(host):", "tests/sources/web/auth/test_cookies.py"),
    _fault("a domain suffix admits hosts that only end with its letters", "sources/rules/parser.py",
           "or _bare(at.host).endswith(below))", "or below[1:] in _bare(at.host))", _RULES),
    _fault("Crawl-delay is not obeyed", "sources/web/crawl_delay.py",
           "if asked and min(asked, MAX_CRAWL_DELAY_S) > delay:",
           "if False:", "tests/sources/web/test_crawl_delay.py"),
    _fault("a run in examine mode indexes at once", "crawl/commit/modes.py", "    if mode not in WITHHELD:\n",
           "    if True:\n", *_MODES, "-k", "pruned and sqlite"),
    _fault("a result that was examined and dropped counts as fetched", "frontier/staging/unreviewed.py",
           "        refetch.recall(tx, numbers)\n", "        pass\n", *_MODES, "-k", "believed"),
    _fault("a page whose links were not read counts as unchanged", "crawl/commit/modes.py",
           "document = structs.replace(outcome.document, links=(), content_hash=b\"\")\n"
           "    content = unconfirmed(outcome.content)\n",
           "document = structs.replace(outcome.document, links=())\n    content = outcome.content\n",
           *_MODES, "-k", "without_links"),
    _fault("a test crawl changes the source itself", "operate/sources/test_crawl.py",
           "    if not test:\n", "    if True:\n",
           *_MODES, "-k", "test_leaves"),
    _fault("receivers get lost links again in every run", "crawl/finish/orphans.py",
           "        if number in new or not known\n",
           "", "tests/journeys/test_delta.py", "-k", "unlinked and sqlite"),
    _fault("one condition of change is enough where all are required", "crawl/visit/change_detection.py",
           "    return any(known) if settings.modified_when == \"any\" else all(known)\n", "    return any(known)\n",
           "tests/crawl/visit/test_change_detection.py"),
    _fault("a setting of the source is lost where a parameter set differs", "operate/sources/profile_merge.py",
           "(name in without or name in whole.shared)", "name in without", "tests/cli/crawl/test_profiles.py", "-k",
           "nearest"),
    _fault("a parameter set in use is deleted", "operate/sources/profiles.py",
           "    if seen.effects and not used:\n", "    if False:\n",
           "tests/cli/crawl/test_profiles.py", "-k", "without_a_word"),
    _fault("an empty listing deletes documents", "sources/files/source.py", "if empty and not was_empty:", "if False:",
           _ACCIDENTS, "-k", "empty and listing"),
    _fault("another folder mounted at the root deletes documents", "sources/files/source.py",
           "if before is not None and not identity.is_same(before[0]):", "if False:",
           "tests/journeys/test_files.py", "-k", "absent_root and sqlite"),
    _fault("files in a folder that could not be listed are deleted", "crawl/finish/sweep.py",
           "gone = [number for number, address in absent if not is_below(address, unlisted)]",
           "gone = [number for number, address in absent]", "tests/journeys/test_files.py", "-k", "without_permission"),
    _fault("the deletion guard never holds deletions", "frontier/policy/deletion_guard.py",
           "if documents <= 0:", "if True:",
           _ACCIDENTS, "-k", "404 and sqlite"),
    _fault("held deletions do not become searchable again", "crawl/run/approval.py",
           "        pending_deletes.show_again(tx, row.source_id)\n", "",
           _BRAKING),
    _fault("a mass deletion stays hidden until the run ends", "crawl/run/deletion_watch.py",
           "    while more:\n", "    while False:\n", _BRAKING),
    _fault("a stopped run leaves its deletions hidden", "crawl/run/transitions.py",
           "            deletion_watch.put_right(tx, now)\n", "            pass\n", _BRAKING),
    _fault("an unreachable page is deleted at once", "frontier/policy/backoff.py", "UNREACHABLE_TRIES = 5",
           "UNREACHABLE_TRIES = 1", "tests/frontier/policy/test_transition.py"),
    _fault("the row of a 404 is purged at once", "frontier/cleanup/purge.py", "RUNS = 2\n", "RUNS = 1\n", *_RECRAWL),
    _fault("a deleted page is found until the run ends", "frontier/staging/pending_deletes.py",
           "return frozenset(row[0] for row in tx.rows(_EVERYTHING))", "return frozenset()", *_RECRAWL),
    _fault("a failed visit deletes its document", "frontier/policy/transition.py",
           "return OutcomeKind.FAILED, outcome.status, True", "return OutcomeKind.FAILED, outcome.status, False",
           "tests/frontier/policy/test_transition.py"),
    _fault("a 304 restores a page that robots.txt had excluded", "sources/web/source.py",
           "found = resource.indexed and resource.outcome != OutcomeKind.EXCLUDED", "found = resource.indexed",
           _ACCIDENTS, "-k", "forbids and sqlite"),
    _fault("a crawl starts with a database older than the index", "operate/runs/start.py",
           "    reindex.refuse_older_store(house)\n", "", _ACCIDENTS, "-k", "older and sqlite"),
    _fault("a change of attributes alone is ignored", "crawl/visit/convert.py",
           'b"" if by_main else attributes_said(said)', 'b""',
           *_SMALL),
    _fault("a header that comes with unchanged bytes is ignored", "crawl/visit/visit.py",
           "content_hash == resource.content_hash and not content.says_beside:",
           "content_hash == resource.content_hash and not content.directives:", *_SMALL),
    _fault("an edit of settings is ignored for documents that cannot be fetched", "crawl/commit/batch.py",
           "if not resource.content_hash and _is_unread(outcome):", "if False:", *_SMALL),
    _fault("a page is removed in favour of a canonical page that does not exist", "crawl/visit/convert.py",
           "if not (stands or (stands is None and resource.status == Status.DUPLICATE_IGNORED)):", "if False:",
           "tests/crawl/visit/test_convert.py"),
    _fault("requests are unconditional", "sources/web/source.py",
           "return tuple(filter(None, lines))", "return ()", *_RECRAWL),
    _fault("equal text is written to the index again", "crawl/visit/convert.py",
           "if resource.indexed and not is_modified(source, resource, content, document, self._rights):", "if False:",
           *_RECRAWL),
    _fault("access rights of a known file are not reread", "sources/files/walk.py",
           'return f"{version}-{rights}-{tag_of(folders)}"', "return version", *_ROUNDS),
    _fault("a secret is not masked", "base/secret_masking.py", "    for each in _hidden:\n", "    for each in ():\n",
           "tests/base/test_secret_masking.py"),
    Fault(Plant("a secret is stored in plain text", "store/catalog/keyring.py",
                (("return self._opener().encrypt(data)", "return data"),
                 ("return self._opener().decrypt(sealed)", "return sealed"))),
          ("tests/journeys/test_access.py", "-k", "password")),
    _fault("a cached text is taken for markup", "extract/html/safe_html.py", "        safe = escape(text)\n",
           "        safe = text\n", "tests/extract/html/test_safe_html.py", "-k", "text"),
    _fault("a link of a cached page opens in its frame", "extract/html/safe_html.py", '"target": "_blank", ', "",
           "tests/extract/html/test_safe_html.py", "-k", "window"),
    _fault("words that the reader may not see are suggested", "search/index/tantivy/reader.py",
           "asked.letters, within)", "asked.letters)",
           _BEGINNINGS, "-k", "alone"),
    _fault("words that may not be quoted are suggested", "search/index/tantivy/reader.py",
           "    if asked.key is None:\n",
           "    if False:\n", _BEGINNINGS, "-k", "quoted"),
    _fault("a click on a result that was not shown is counted", "web/query_recorder.py",
           "            if place is None:\n                return\n", "            place = place or 1\n",
           _ASKED, "-k", "shown"),
    _fault("a secret in a query is recorded", "web/query_recorder.py",
           "masked(question.text)", "question.text",
           _ASKED, "-k", "secrets"),
    _fault("a cached copy is shown although its page forbids it", "operate/documents/cached_copy.py",
           "    _allow(frame.attributes, hit.url)\n", "", "tests/operate/documents/test_cached_copy.py", "-k", "wish"),
)  # fmt: skip

_VECTORS = "tests/pages/test_vectors.py"
_PAGE = "tests/pages/test_every_page.py"
_KEYS = "tests/pages/test_keyboard.py"
_RESULTS, _HIT = "web/templates/results.html", "web/templates/hit.html"
_FRAME, _LAYOUT = "web/templates/frame.html", "web/templates/layout.html"
_STYLE = "web/static/cormorant.css"
PAGES = (
    _fault("a title is taken for markup", _HIT, "{{ hit.title }}</a>{% else %}", "{{ hit.title | safe }}</a>{% else %}",
           _VECTORS, "-k", "results"),
    _fault("a snippet is taken for markup", _HIT, "{% else %}{{ piece.text }}{% endif %}",
           "{% else %}{{ piece.text | safe }}{% endif %}", _VECTORS, "-k", "results"),
    _fault("a step of a URL is taken for markup", _HIT, "<bdi>{{ step }}</bdi>",
           "<bdi>{{ step | safe }}</bdi>", _VECTORS, "-k", "results"),
    _fault("a cached page is not sanitized", "extract/html/safe_html.py", "safe = _SANITIZER.sanitize_node(root)",
           "safe = root", _VECTORS, "-k", "copy"),
    _fault("suggestions cannot be chosen with the keyboard", "web/static/suggest.js",
           'else if (event.key === "ArrowDown") step(1);', 'else if (event.key === "Down") step(1);',
           "tests/pages/test_suggestions.py", "-k", "chosen_by_keys"),
    _fault("the advanced form of a query is empty", "web/pages/advanced.py",
           "taken_apart(q, attributes) if q.strip() else typed",
           "typed", "tests/pages/test_advanced.py"),
    _fault("a query is taken for markup", "web/templates/nothing.html", "“<bdi>{{ q }}</bdi>”",
           "“<bdi>{{ q | safe }}</bdi>”", _VECTORS, "-k", "question"),
    _fault("a query ends the HTML attribute that contains it", _FRAME, 'value="{{ q }}"', 'value="{{ q | safe }}"',
           _VECTORS, "-k", "question"),
    _fault("a URL that runs a script is a link", "web/pages/formatting.py",
           'web = hit.url.startswith(("http://", "https://"))', 'web = not hit.url.startswith("file:")',
           "tests/web/pages/test_formatting.py", "-k", "only_an_address"),
    Fault(Plant("nothing is escaped and there is no content security policy", "web/app.py",
                (("autoescape=True", "autoescape=False"),
                 ("    return RequestGuard(authentication, hosts)", "    return authentication"))),
          (_VECTORS, "-k", "results")),
    _fault("a page contains an inline script", _LAYOUT, "</body>",
           "<script>document.documentElement.dataset.planted = 1</script></body>", _PAGE, "-k", "little"),
    _fault("pages have no content security policy", "web/security/request_guard.py",
           '    b"content-security-policy": POLICY.encode(),\n', "",
           _PAGE, "-k", "policy"),
    _fault("the content security policy permits inline scripts", "web/security/request_guard.py",
           "script-src 'self'; img-src 'self'; form-action",
           "script-src 'self' 'unsafe-inline'; img-src 'self'; form-action", _PAGE, "-k", "policy"),
    _fault("a cached copy runs with the origin of the portal", "web/security/request_guard.py",
           '"sandbox allow-popups allow-popups-to-escape-sandbox; default-src', '"default-src',
           _PAGE, "-k", "stranger"),
    _fault("a page loads a resource from elsewhere", _LAYOUT, '<link rel="icon"',
           '<link rel="stylesheet" href="http://127.0.0.1:9/x.css"><link rel="icon"', _PAGE, "-k", "little"),
    _fault("static files are not compressed", "web/app.py", 'GZipMiddleware(StaticFiles(directory=HERE / "static"))',
           'StaticFiles(directory=HERE / "static")', _PAGE, "-k", "little"),
    _fault("a link leads nowhere", _HIT, 'href="/cached/{{ hit.id }}', 'href="/copies/{{ hit.id }}',
           _PAGE, "-k", "link"),
    _fault("a form leads nowhere", _FRAME, 'action="/search"', 'action="/find"', _PAGE, "-k", "form"),
    _fault("a page is wider than the screen of a telephone", _STYLE,
           ".column { width: min(52rem, 100% - 2 * var(--s4));",
           ".column { width: 52rem;", _PAGE, "-k", "pictures"),
    _fault("an element is not closed", _RESULTS, "{% if grouped %}</section>{% endif %}", "",
           "tests/pages/test_markup.py"),
    _fault("the search box has no label", _FRAME, '<label class="hide" for="q">Search</label>', "",
           "tests/pages/test_accessible.py", "-k", "results"),
    _fault("secondary text has too little contrast", _STYLE, "--ink-2: #425154;  --ink-3: #57666a;",
           "--ink-2: #425154;  --ink-3: #9fb0b4;", "tests/pages/test_accessible.py", "-k", "results"),
    _fault("the focus is invisible", _STYLE,
           ":focus-visible { outline: 3px solid var(--accent); outline-offset: 2px;", ":focus-visible { outline: none;",
           _KEYS, "-k", "seen"),
    _fault("the skip link leads nowhere", _LAYOUT, 'href="#main"', 'href="#top"', _KEYS, "-k", "skips"),
    _fault("keyboard shortcuts act while text is typed", "web/static/keys.js",
           "    if (typing(event.target)) return;\n", "",
           _KEYS, "-k", "types"),
    _fault("keyboard shortcuts cannot be switched off", "web/pages/layout.py",
           'request.cookies.get("keys") != "off"', "True",
           _KEYS, "-k", "switched"),
    _fault("keyboard shortcuts are advertised without scripts", _RESULTS, '<span class="sum faint" data-keys hidden>',
           '<span class="sum faint" data-keys>', _KEYS, "-k", "nothing_is_said"),
    _fault("every page of results shows the first results", "web/pages/search_page.py",
           "(self.page - 1) * self.per", "0",
           "tests/pages/test_reader.py", "-k", "back"),
    _fault("a chosen theme is forgotten", "web/pages/layout.py", "max_age=_YEAR_S", "max_age=0",
           "tests/pages/test_reader.py", "-k", "switched"),
    _fault("a search in one source cannot be widened", "web/templates/nothing.html", '<a href="{{ clear }}">',
           '<a href="{{ address() }}">', "tests/pages/test_newcomer.py"),
)  # fmt: skip

_SIGHT = ("tests/journeys/test_sight.py", "-k", "never_had")
SIGHT = (
    _fault("a search for everything counts documents that the reader may not see", "search/reader.py",
           "            found.total, found.reachable, took_ms,",
           "            self._index.count() if isinstance(parsed.query, ask.Everything) else found.total,\n"
           "            found.reachable, took_ms,",
           *_SIGHT),
    _fault("a search that only counts ignores access rights", "search/index/tantivy/query_compiler.py",
           "[(Occur.Must, asked), *self._sight.clauses]",
           "[(Occur.Must, asked), *(self._sight.clauses if search.limit else ())]", *_SIGHT),
    _fault("spelling suggestions contain words that the reader may not see", "search/index/tantivy/dictionary.py",
           "held = {other: sight.holding(other) for other, by in apart.items() if by == distance}",
           'held = {other: self._searcher.doc_freq("text", other) for other, by in apart.items() if by == distance}',
           *_SIGHT),
    _fault("the weight of a word depends on documents that the reader may not see",
           "search/index/tantivy/reader_view.py",
           "        if self._complete:\n",
           "        if True:\n", *_SIGHT),
    _fault("a cached copy is shown without checking access rights", "operate/documents/cached_copy.py",
           '    if hit is None:\n'
           '        raise NotFoundError("There is no such document, or you have no access to it.")\n',
           '    hit = hit or Hit(number, "", "", "", (), 0.0, "", "", "", 0, None, False, 0)\n', *_SIGHT),
    _fault("the count of duplicates includes documents that the reader may not see", "operate/search/search.py",
           "    return answer\n",
           "    with house.store.read() as tx:\n"
           "        hashes = dict(map(tuple, tx.rows(sa.select(content.c.id, content.c.content_hash))))\n"
           "    same = list(hashes.values())\n"
           '    again = __import__("dataclasses").replace\n'
           "    more = tuple(again(hit, duplicates=same.count(hashes[hit.id]) - 1) for hit in answer.hits)\n"
           "    return again(answer, hits=more if question.fold else answer.hits)\n", *_SIGHT),
    _fault("denied principals are ignored", "search/index/tantivy/reader_view.py",
           '            (Occur.MustNot, self.terms("deny", principals)),\n', "", *_SIGHT),
    _fault("a source without any visible document is named", "operate/search/search.py",
           "if (count := shelf.count(name, reader))}", "if (count := shelf.count(name, reader)) >= 0}", *_SIGHT),
    _fault("languages without any visible document are counted", "search/index/tantivy/reader_view.py",
           "found = self._searcher.aggregate(self.query, asked)",
           "found = self._searcher.aggregate(tantivy.Query.all_query(), asked)",
           "tests/contracts/test_index_leaves.py", "-k", "language_of"),
    _fault("hidden words take the places of visible suggestions", "search/index/tantivy/dictionary.py",
           "held = {other: sight.holding(other) for other, by in apart.items() if by == distance}",
           "held = {each: sight.holding(each) for each in list(apart)[:MOST_ALIKE] if apart[each] == distance}",
           *_SIGHT),
    _fault("every reader has the scope of an administrator", "web/security/authorization.py",
           "    return Scope.ADMIN if at_home else Scope.SEARCH\n", "    return Scope.ADMIN\n", *_SIGHT),
)  # fmt: skip

_CACHE = ("tests.journeys.disks", "--pages", "200", "--by", "a stranger", "--only", "cache")
_INDEX = (*_CACHE[:-1], "index")
_AWAY = ("tests.journeys.outages", "--pages", "300", "--storm", "9", "--away", "10", "--crowd", "3")
OUTAGES = (
    _fault("a process that lost the database does not wait for it", "app/processes/session.py", "    if name != WEB:\n",
           "    if False:\n", *_AWAY),
    Fault(Plant("a transaction rolled back by a lost connection is counted all the same", "crawl/commit/committer.py", (
        ("            lost, put_right = self._settle(batch, counters)\n",
         "            try:\n                lost, put_right = self._settle(batch, counters)\n"
         "            except Exception as error:\n                if type(error).__name__ != 'Unreachable':\n"
         "                    raise\n                from cormorant.app.processes import database_wait\n"
         "                database_wait.database(self._means.store.url)\n"
         "                lost, put_right = self._settle(batch, counters)\n"),
        ("            runs.count(tx, self.order.run, means.owner, counters)\n        return lost",
         "            __import__('cormorant.base.clock').base.clock.pause(0.7)\n"
         "            runs.count(tx, self.order.run, means.owner, counters)\n        return lost"),
    )), _AWAY),
    _fault("a pooled connection is not checked before use", "store/db/drivers.py",
           "        pool_pre_ping=True,\n", "",
           *_AWAY),
    _fault("a server without a free connection counts as a permanent error", "store/db/drivers.py",
           "_CROWDED.search(text)):\n        return Unreachable(",
           "_CROWDED.search(text)):\n        return StoreError(",
           *_AWAY),
    _fault("a copy that did not fit on the disk counts as stored", "store/blobs/writer.py",
           "            self._give_back()\n            self._fail(error)\n",
           "            self._give_back()\n            return\n", *_CACHE),
    _fault("visits continue although a disk is full", "crawl/resource_guard.py",
           "    if usage.free >= least(usage.total):\n",
           "    if True:\n", *_INDEX),
    _fault("the disk of the index is not checked", "operate/system/disks.py", "    return found + [",
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
"""Every planted fault, and the check that must find it."""
