"""Pages of messages: to be read, as a thread, as a month; nothing of those that a reader may not see."""

from __future__ import annotations

import re

import pytest

from cormorant.app import settings
from cormorant.app.build import BuildPlan, open_house
from cormorant.operate.documents.mail_message import TextBlock, bare_subject, blocks_of, root_of
from cormorant.web import app
from tests.cli.world import InstalledCli
from tests.web.asking import Got
from tests.web.crawled import Crawled

MARK = "From ada@example.org Thu Nov 12 09:30:04 2026\n"
ATTACHED = """Content-Type: multipart/mixed; boundary=b

--b
Content-Type: text/plain

The new tool <script>alert(1)</script> is there.
> When does the old form close?
> And the claims?
See the guide.
--b
Content-Type: text/plain; name=guide.txt
Content-Disposition: attachment; filename=guide.txt

The guide has sargasso in it.
--b--
"""


def mail(name: str, subject: str, answers: str = "", day: int = 12, text: str = "\nA kelp text.\n") -> str:
    """Return a message of an mbox."""
    thread = f"In-Reply-To: <{answers}@x>\nReferences: <first@x> <{answers}@x>\n" if answers else ""
    head = f"From: {name.title()} <{name}@x>\nTo: all@x\nMessage-ID: <{name}@x>\nSubject: {subject}\n{thread}"
    return f"{MARK}{head}Date: Thu, {day} Nov 2026 09:30:04 +0000\n{text}\n"


@pytest.fixture(scope="module")
def archive(tmp_path_factory: pytest.TempPathFactory) -> Crawled:
    folder = tmp_path_factory.mktemp("mail")
    messages = [
        mail("first", "Travel form", day=10), mail("second", "Re: Travel form", "first", 11),
        mail("third", "Re: Travel form", "second", 12, ATTACHED), mail("fourth", "AW: Travel form", "first", 13),
        mail("other", "Travel form", day=14),
    ]  # fmt: skip
    (folder / "all.mbox").write_text("".join(messages))
    (folder / "closed.mbox").write_text(mail("boss", "Re: Travel form", "first"))
    home = InstalledCli(folder / "data")
    house = open_house(BuildPlan(home.folder, settings.load(None)), first=True)
    home.fine("source", "add", "mail", "all", "--set", f"path={folder / 'all.mbox'}")
    home.fine("source", "add", "mail", "closed", "--set", f"path={folder / 'closed.mbox'}", "--set", "grants=user:boss")
    home.fine("crawl")
    return Crawled(home, "", app.make(house))


def number(archive: Crawled, author: str) -> int:
    hits = archive.api("/search?q=travel&limit=50&all=1")["hits"]
    return next(int(each["id"]) for each in hits if each["attributes"].get("MessageId") == f"{author}@x")


def titles(got: Got) -> list[str]:
    return re.findall(r'<a href="/mail/\d+"[^>]*>([^<]+)</a>', got.main)


def test_a_hit_leads_to_the_page_of_its_message(archive: Crawled) -> None:
    assert f'href="/mail/{number(archive, "third")}"' in archive.get("/search?q=travel+tool").main


def test_a_message_is_read_with_quoted_parts_folded(archive: Crawled) -> None:
    got = archive.get(f"/mail/{number(archive, 'third')}")
    assert got.status == 200
    assert '<dt>From</dt><dd dir="auto">Third &lt;third@x&gt;</dd>' in got.main
    assert "The new tool &lt;script&gt;alert(1)&lt;/script&gt; is there." in got.main
    quoted = "<summary>Quoted text, 2 lines</summary><blockquote><p>&gt; When does the old form close?\n&gt; And the"
    assert quoted in got.main
    assert "<p>See the guide." in got.main
    assert re.search(r'1 attachment</h2>.*<a href="/cached/\d+"><bdi>guide.txt</bdi></a>', got.main)
    assert 'href="/mail/all/2026/11">November 2026</a>' in got.main


def test_a_thread_nests_answers(archive: Crawled) -> None:
    got = archive.get(f"/mail/{number(archive, 'third')}/thread")
    assert titles(got) == ["Travel form", "Re: Travel form", "Re: Travel form", "AW: Travel form"]
    assert "4 messages by 4 people" in got.main
    bare = re.sub(r"<article.*?</article>|\s", "", got.main.partition('<ol class="thread">')[2], flags=re.DOTALL)
    assert bare.startswith("<li><ol><li><ol><li></li></ol></li><li></li></ol></li></ol>")
    assert got.main.count('aria-current="true"') == 1


def test_a_month_lists_its_messages(archive: Crawled) -> None:
    got = archive.get("/mail/all/2026/11")
    assert len(titles(got)) == 5
    assert "<bdi>Fourth</bdi>" in got.main
    assert 'href="/mail/all/2026/10">October 2026</a><a class="btn" href="/mail/all/2026/12">' in got.main
    assert "There is no message of this month" in archive.get("/mail/all/2026/12").main
    assert 'href="/mail/all/2027/01">' in archive.get("/mail/all/2026/12").main


def test_nobody_sees_the_messages_of_others(archive: Crawled) -> None:
    seen = {number(archive, each) for each in ("first", "second", "third", "fourth", "other")}
    known = archive.home.fine("document", "list", "--source", "closed", "--json").out
    assert '"indexed": true' in known or '"indexed":true' in known
    for each in range(1, 20):
        got = archive.get(f"/mail/{each}")
        assert (got.status == 200) is (each in seen), each
        assert archive.get(f"/mail/{each}/thread").status == got.status
        assert "boss" not in got.body.lower()
    closed, unknown = archive.get("/mail/closed/2026/11"), archive.get("/mail/nobody/2026/11")
    assert (closed.status, closed.main) == (unknown.status, unknown.main)
    assert closed.status == 404


@pytest.mark.parametrize("path", ["/mail/999999", "/mail/x", "/mail/nobody/2026/11", "/mail/all/2026/13"])
def test_what_is_not_there(archive: Crawled, path: str) -> None:
    assert archive.get(path).status in (404, 422)


def test_blocks_of_text() -> None:
    assert blocks_of("a\n\n> b\n>> c\n\nd\n") == [
        TextBlock("a", quoted=False), TextBlock("> b\n>> c", quoted=True), TextBlock("d", quoted=False),
    ]  # fmt: skip
    assert blocks_of("") == []
    assert blocks_of("> all") == [TextBlock("> all", quoted=True)]


def test_subjects_and_roots() -> None:
    assert bare_subject('Re: AW: fwd:  A "quoted"  word') == "A quoted word"
    assert root_of({"Thread": "a", "References": ("b", "c")}) == "a"
    assert root_of({"References": ("b", "c"), "MessageId": "d"}) == "b"
    assert root_of({"MessageId": "d"}) == "d"
    assert root_of({}) == ""
