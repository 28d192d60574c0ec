"""Pages of messages: to be read, as a thread, as a month; nothing of those that a reader may not see."""

from __future__ import annotations

import re

import pytest

from cormorant.app import settings
from cormorant.app.build import BuildPlan, open_house
from cormorant.operate.mail import mail_thread
from cormorant.operate.mail.mail_header import HeaderFact, author_of, facts_of
from cormorant.operate.mail.mail_text import TextBlock, blocks_of, body_of
from cormorant.operate.mail.mail_thread import bare_subject, root_of
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
        mail("other", "Travel form", day=14).replace("09:30:04", "23:59:59"), mail("late", "Travel log", day=14),
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
    third = number(archive, "third")
    assert f'href="/mail/{third}?q=travel+tool"' in archive.get("/search?q=travel+tool").main
    got = archive.get(f"/mail/{third}?q=travel+tool")
    assert '<a href="/search?q=travel+tool">Results</a>' in got.main
    assert "The new <mark>tool</mark> &lt;script&gt;" in got.main
    assert f'rel="prev" href="/mail/{number(archive, "second")}?q=travel+tool">Earlier</a>' in got.main


def test_a_hit_shows_the_folder_the_author_and_the_day_of_its_message(archive: Crawled) -> None:
    got = archive.get("/search?q=%22travel+log%22").main
    assert "<bdi>all</bdi> \u203a <bdi>all.mbox</bdi>" in got
    assert "From <bdi>Late</bdi>, 14 Nov 2026" in got
    snip = re.search(r'<p class="snip"[^>]*>(.*)</p>', archive.get("/search?q=kelp+log").main)
    assert snip is not None
    assert snip[1] == "A <mark>kelp</mark> text."
    copy = archive.get(f"/cached/{number(archive, 'late')}").main
    assert "<bdi>all</bdi> \u203a <bdi>all.mbox</bdi>" in copy
    assert "mail://" not in copy


def test_a_chosen_media_type_is_shown_by_its_name(archive: Crawled) -> None:
    got = archive.get("/search?q=travel&type=text/x-python").main
    assert 'title="text/x-python"><bdi>Python</bdi>' in got


def test_a_word_in_quoted_text_unfolds_it(archive: Crawled) -> None:
    third = number(archive, "third")
    assert "<details open><summary>Quoted text, 2 lines" in archive.get(f"/mail/{third}?q=claims").main
    assert "<mark>claims</mark>" in archive.get(f"/mail/{third}?q=claims").main
    assert "<details><summary>Quoted text, 2 lines" in archive.get(f"/mail/{third}?q=guide").main


def test_a_message_says_where_it_stands_in_its_thread(archive: Crawled) -> None:
    third, second = number(archive, "third"), number(archive, "second")
    got = archive.get(f"/mail/{third}")
    assert f'3rd of 4 in a <a href="/mail/{third}/thread">thread</a>, ' in got.main
    assert f'<dt>Answers</dt><dd><a href="/mail/{second}"' in got.main
    assert "<bdi>Second</bdi>, 11 Nov 2026</dd>" in got.main
    assert f'rel="next" href="/mail/{number(archive, "fourth")}">Later</a>' in got.main
    first = archive.get(f"/mail/{number(archive, 'first')}")
    assert "Earlier</a>" not in first.main
    alone = archive.get(f"/mail/{number(archive, 'other')}")
    assert "in a <a" not in alone.main
    assert "Later</a>" not in alone.main


def test_a_message_is_read_with_quoted_parts_folded(archive: Crawled) -> None:
    got = archive.get(f"/mail/{number(archive, 'third')}")
    assert got.status == 200
    assert '<dt>From</dt><dd dir="auto">Third &lt;third@x&gt;</dd>' in got.main
    assert "The new tool &lt;script&gt;alert(1)&lt;/script&gt; is there." in got.main
    quoted = '<summary>Quoted text, 2 lines</summary><blockquote><p dir="auto">When does the old form close?\nAnd the'
    assert quoted in got.main
    assert '<p dir="auto">See the guide.</p>' in got.main
    assert "Attachment: guide.txt" not in got.main, "it is listed below"
    assert re.search(r'(?s)1 attachment</h2>.*<a href="/cached/\d+"><bdi>guide.txt</bdi></a>', got.main)
    assert 'href="/mail/all/2026/11">November 2026</a>' in got.main


def test_a_thread_nests_answers(archive: Crawled) -> None:
    got = archive.get(f"/mail/{number(archive, 'third')}/thread")
    assert titles(got) == ["Travel form", "Re: Travel form", "Re: Travel form", "AW: Travel form"]
    assert "4 messages by 4 people" in got.main
    bare = re.sub(r"<article.*?</article>|\s", "", got.main.partition('<ol class="thread">')[2], flags=re.DOTALL)
    assert bare.startswith("<li><ol><li><ol><li></li></ol></li><li></li></ol></li></ol>")
    assert got.main.count('aria-current="true"') == 1
    assert "4 messages by 4 people, 10 Nov 2026 to 13 Nov 2026" in got.main


def test_a_month_lists_its_messages(archive: Crawled) -> None:
    got = archive.get("/mail/all/2026/11")
    assert len(titles(got)) == 6
    assert "<bdi>Fourth</bdi>" in got.main
    assert re.findall(r'rel="(\w+)" href="(/mail/all/[^"]*)"', got.main) == [
        ("prev", "/mail/all/2026/10"), ("next", "/mail/all/2026/12"),
    ]  # fmt: skip
    assert re.findall(r'<h2 id="day-\d+">(\d+ November)</h2>', got.main) == [f"{day} November" for day in range(10, 15)]
    assert '<a href="#day-12">12<small>1<span class="hide"> message</span>' in got.main
    assert '<a href="#day-14">14<small>2<span class="hide"> messages</span>' in got.main
    assert '<td class="faint">15</td>' in got.main
    assert "There is no message of this month" in archive.get("/mail/all/2026/12").main
    assert 'href="/mail/all/2027/01">' in archive.get("/mail/all/2026/12").main


def test_nobody_sees_the_messages_of_others(archive: Crawled) -> None:
    seen = {number(archive, each) for each in ("first", "second", "third", "fourth", "other", "late")}
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


def test_a_day_of_a_month(archive: Crawled) -> None:
    got = archive.get("/mail/all/2026/11?day=12")
    assert titles(got) == ["Re: Travel form"]
    assert '<a href="/mail/all/2026/11?day=12" aria-current="date">12</a>' in got.main
    assert "There is no message of this day" in archive.get("/mail/all/2026/11?day=31").main
    assert archive.get("/mail/all/2026/11?day=32").status == 422
    assert archive.get("/mail/closed/2026/11?day=12").status == 404


def test_a_month_of_more_messages_than_are_listed(archive: Crawled, monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setattr(mail_thread, "MOST_MESSAGES", 2)
    got = archive.get("/mail/all/2026/11")
    assert len(titles(got)) == 2
    assert "6 messages in" in got.main
    assert "Only the first 2 are shown. The days of the calendar show the others." in got.main
    assert '<a href="/mail/all/2026/11?day=15">15</a>' in got.main


def test_quotes_in_quotes() -> None:
    block = TextBlock("> a\n> b\n>> c\n> > d\n>\n> e\n" + ">" * 50 + " f", quoted=True)
    assert block.quotes == [(1, "a\nb"), (2, "c\nd"), (1, "e"), (6, "f")]
    assert TextBlock(">" * 1_000_000, quoted=True).quotes == [(6, ">" * 999_900)]


def test_text_between_head_and_attachments() -> None:
    text = "From: Ada\nTo: Ben\n\nHello\nAttachment: a.txt\nBye\n\nAttachment: b.txt\nAttachment: a.txt"
    assert body_of(text, ["a.txt", "b.txt"]) == "Hello\nAttachment: a.txt\nBye\n"
    assert body_of(text, ["a.txt"]) == "Hello\nAttachment: a.txt\nBye\n\nAttachment: b.txt"


def test_many_recipients_are_folded() -> None:
    names = [f"k{number}@x" for number in range(39)]
    assert facts_of({"Cc": ", ".join(names)}) == (HeaderFact("Cc", ", ".join(names[:6]), tuple(names[6:])),)
    assert facts_of({"To": ", ".join(names[:7])}) == (HeaderFact("To", ", ".join(names[:7])),)
    assert author_of({"Author": '"Ada Wong" <ada@x>'}) == "Ada Wong"


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
