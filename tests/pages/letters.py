"""An installation that has crawled an archive of mail: threads, quoted text, attachments, odd and hostile mails."""

from __future__ import annotations

from collections.abc import Iterator
from contextlib import contextmanager
from datetime import UTC, datetime, timedelta
from email.headerregistry import Address
from email.message import EmailMessage
from email.utils import format_datetime
from pathlib import Path

from tests.cli.world import InstalledCli
from tests.pages.houses import Served, command, served
from tests.pages.pages import LETTERS

BEGAN = datetime(2026, 10, 5, 9, 30, tzinfo=UTC)
PEOPLE = ("Ada Wong", "Björn Ås", "Chiara Conti", "Dilek Öz", "Ewa Nowak", "Farid Aziz")
LONG_WORD = "https://tides.example.org/" + "almanac" * 60
HOSTILE_HTML = """<html><body onload="document.documentElement.dataset.planted='body'">
<script>document.documentElement.dataset.planted = 'script'</script>
<img src="http://127.0.0.1:9/pixel.gif" onerror="document.documentElement.dataset.planted='image'">
<style>body { display: none }</style><form action="http://127.0.0.1:9/"><input name="password"></form>
<a href="javascript:document.documentElement.dataset.planted='link'">A raffle of lanterns</a>
<iframe src="http://127.0.0.1:9/"></iframe><p>Lanterns &lt;b&gt;for all&lt;/b&gt; who answer.</p></body></html>"""
ARABIC = "مواعيد العبارة"


def letter(name: str, subject: str, text: str, hours: float, answers: str = "") -> EmailMessage:
    """Return a message that was sent so many hours after the first one."""
    made = EmailMessage()
    author = PEOPLE[sum(name.encode()) % len(PEOPLE)]
    made["From"] = Address(
        author, addr_spec=f"{author.split()[0].lower().encode('ascii', 'ignore').decode()}@example.org"
    )
    made["To"] = "Island list <island@lists.example.org>"
    made["List-Id"] = "Island list <island.lists.example.org>"
    made["Subject"] = subject
    made["Date"] = format_datetime(BEGAN + timedelta(hours=hours))
    made["Message-ID"] = f"<{name}@example.org>"
    if answers:
        made["In-Reply-To"] = f"<{answers}@example.org>"
        made["References"] = f"<{name.partition('-')[0]}-1@example.org> <{answers}@example.org>"
    made.set_content(text)
    return made


def quoting(text: str, levels: int) -> str:
    """Return lines as answers to answers quote them."""
    return "".join(f"{'>' * level} {text} ({level})\n" for level in range(1, levels + 1))


def ferry() -> Iterator[EmailMessage]:
    """Yield a thread that is six answers deep, with two branches."""
    yield letter("ferry-1", "Ferry in winter", "The ferry goes twice a day from December.\n\nAda", 0)
    for number in range(2, 8):
        text = f"Hello,\n\nthe answer number {number - 1}: the ferry waits.\n\nOn Monday, somebody wrote:\n"
        end = "> The ferry goes twice a day.\n> Once on Sundays.\n>> So it was last year.\n\nYours, the harbour\n"
        yield letter(f"ferry-{number}", "Re: Ferry in winter", text + end, number * 5, f"ferry-{number - 1}")
    yield letter("ferry-8", "AW: Ferry in winter", "And the bicycles?\n", 40, "ferry-1")
    whole = quoting("The bicycles travel for nothing", 9)
    yield letter("ferry-9", "Re: AW: Ferry in winter", f"{whole}\nThey do.\n\n{whole}", 41.5, "ferry-8")


def kept_apart() -> Iterator[EmailMessage]:
    """Yield odd mails: attachments, HTML alone, another direction, a long line, no date, no subject, hostile HTML."""
    made = letter("papers-1", "Papers of the lighthouse", "The papers are attached.\n\nSee page two.\n", 50)
    made["Cc"] = ", ".join(f"Keeper {number} <keeper{number}@example.org>" for number in range(1, 40))
    made.add_attachment("lamp;metres\nNorth;41\nSouth;38\n", filename="lamps.csv")
    made.add_attachment("The lamp is cleaned on Mondays.\n", filename="A report with a rather long name, of 2026.txt")
    made.add_attachment(b"<p>A plan of the lighthouse", maintype="text", subtype="html", filename="plan.html")
    yield made
    made = letter("page-1", "The newsletter of November", "x", 60)
    made.set_content(
        "<h1>Puffins</h1><p>The puffins <b>have left</b>.<ul><li>Nests: 41</li><li>Chicks: 30</li></ul>"
        "<blockquote>They were here in May.</blockquote><table><tr><td>Nest<td>41</table>", subtype="html",
    )  # fmt: skip
    yield made
    made = letter("both-1", "Two ways to read the almanac", "The plain part of the almanac.\n", 61)
    made.add_alternative("<p>The almanac as a page.", subtype="html")
    yield made
    made = letter("arabic-1", ARABIC, "تغادر العبارة الساعة 08:30 من رصيف 4.\n\n> متى تغادر العبارة؟\n", 70)
    yield made
    yield letter("long-1", "A very long line " + "of words " * 25, f"{LONG_WORD}\n\n{'word ' * 900}\n", 75)
    undated = letter("undated-1", "An undated note", "The note says nothing of a day.\n", 0)
    del undated["Date"]
    yield undated
    unnamed = letter("unnamed-1", "x", "A message without a subject, of the kelp.\n", 80)
    del unnamed["Subject"]
    yield unnamed
    made = letter("raffle-1", "<script>document.documentElement.dataset.planted='title'</script>", "x", 85)
    made.set_content(HOSTILE_HTML, subtype="html")
    made.add_attachment("lantern", filename="<img src=x onerror=alert(1)>.txt")
    yield made
    yield letter("quoted-1", "Only quoted text", quoting("The pier is closed", 3), 90)


def letters_of() -> Iterator[EmailMessage]:
    """Yield the whole archive."""
    yield from ferry()
    yield from kept_apart()
    for number in range(1, 43):
        subject = f"Log of the day {(number + 1) // 2}"
        later = f"log{(number + 1) // 2}-{2 - number % 2}"
        yield letter(later, subject, f"Wind {number} knots, sea calm.\n", 24 * number + 96, "" if number % 2 else
                     f"log{number // 2}-1")  # fmt: skip


@contextmanager
def letters(folder: Path) -> Iterator[Served]:
    """Crawl and serve it."""
    home = InstalledCli(folder / "data")
    for name in ("cur", "new", "tmp"):
        (folder / "mail" / name).mkdir(parents=True)
    for number, each in enumerate(letters_of()):
        (folder / "mail" / "cur" / f"{1_700_000_000 + number}.M{number}.island:2,S").write_bytes(bytes(each))
    command(home, "source", "add", "mail", "island", "--set", f"path={folder / 'mail'}")
    command(home, "crawl")
    with served(home) as made:
        yield made


HOUSES = {LETTERS: letters}
