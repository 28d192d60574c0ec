import pytest

from cormorant.extract.formats.plain import extract_text
from cormorant.extract.header_metadata import with_header
from cormorant.extract.html.link_options import written
from cormorant.extract.html.page import extract_html
from cormorant.model.content import Content, Extraction, LinkKind, Manner, PageLink
from tests.clocks import cpu_s

HERE = "https://h.example/a/page"
FORM = "<form action='/s?x#y'><input name=q value='a b'><input type=checkbox name=c><input type=submit name=go value=1>"


def found(markup: str, *kinds: LinkKind) -> list[str]:
    page = extract_html(markup.encode(), address=HERE, manner=Manner(links=kinds))
    return [link.address.removeprefix("https://h.example") for link in page.links]


@pytest.mark.parametrize(
    ("kind", "markup", "wanted"),
    [
        ("forms", FORM, ["/s?q=a+b"]),
        ("forms", FORM + "<select name=n><option value=1>x<option selected>two</select>", ["/s?q=a+b&n=two"]),
        ("forms", "<form action=go></form>", ["/a/go"]),
        ("forms", "<form action=/s><select name=n><option value=''>All<option>B</select>", ["/s?n="]),
        ("forms", "<form action=/s><input type=checkbox name=c value='' checked><input type=radio name=r checked>",
         ["/s?c=&r=on"]),
        ("forms", "<form action=/1><div></form><form action=/2><input name=q></form><input name=p></div>",
         ["/1?p=", "/2?q="]),
        ("forms", "<form method=POST action=/p></form><button formaction=/b></button>", ["/b"]),
        ("posts", "<form method=POST action=/p><input name=q></form><form action=/g></form>", ["/p"]),
        ("srcset", "<img src=/0 srcset='/1 1x, /2?a,b 2x,/3'>", ["/1", "/2?a,b", "/3"]),
        ("media", "<img src=/1><video src=/2 poster=/3></video><object data=/4>", ["/1", "/2", "/3", "/4"]),
        ("resources", "<script src=/1></script><link rel=stylesheet href=/2>", ["/1", "/2"]),
        ("hints", "<blockquote cite=/1></blockquote><a href=/2 ping='/3 /4'>x</a>", ["/2", "/3", "/4", "/1"]),
        ("text", "<p>See https://h.example/x, /d/a.pdf.<!-- ./b.html -->", ["/x", "/d/a.pdf", "/a/b.html", "/b.html"]),
    ],
)  # fmt: skip
def test_each_kind_is_found_when_it_is_asked_for(kind: LinkKind, markup: str, wanted: list[str]) -> None:
    assert found(markup, kind) == wanted
    assert not set(found(markup)) - {"/2"}
    assert set(wanted) <= set(found(markup, "all"))


@pytest.mark.parametrize(
    ("markup", "nofollow"),
    [
        ("<form action=/s rel='noopener NOFOLLOW'></form>", True),
        ("<form action=/s rel=nofollower></form>", False),
        ("<form method=post action=/p rel=nofollow><button formmethod=get formaction=/s></button></form>", True),
    ],
)
def test_a_form_may_ask_not_to_be_followed(markup: str, *, nofollow: bool) -> None:
    page = extract_html(markup.encode(), address=HERE, manner=Manner(links=("forms",)))
    assert [link.nofollow for link in page.links] == [nofollow]


def test_what_a_reader_follows_keeps_its_text_beside_more_kinds() -> None:
    page = extract_html(b"<a href=/x>An x</a> /x.y <img src=/x>", address=HERE, manner=Manner(links=("all",)))
    assert page.links[0] == PageLink("https://h.example/x", "An x")


def test_plain_texts_lead_on_when_addresses_in_text_are_asked_for() -> None:
    body = b"body { src: url('/font.woff') } http://o.example/y"
    manner = Manner(links=("text",))
    assert extract_text(body, address=HERE).links == ()
    said = extract_text(body, address=HERE, manner=manner)
    assert [link.address for link in said.links] == ["https://h.example/font.woff", "http://o.example/y"]


@pytest.mark.parametrize("piece", ["/a", "/a.", "./", "http://", "/a.b/", "https://a,", "../..", "%/a", "~/.a"])
def test_hostile_texts_are_read_in_time(piece: str) -> None:
    text = piece * (2_000_000 // len(piece))
    assert cpu_s(lambda: written(text)) < 2


def test_a_header_speaks_beside_its_document() -> None:
    beside = (
        PageLink("https://h.example/next", "", "next"), PageLink("https://h.example/s.css", "", "preload"),
        PageLink("https://h.example/a/x", "", "content-location"), PageLink("https://h.example/c", "", "canonical"),
        PageLink("javascript:x()", "", "next"),
    )  # fmt: skip
    content = Content(HERE, b"", "text/html", beside=beside, refresh="0; url=/away")
    said = with_header(content, Extraction("", links=(PageLink("https://h.example/own"),)), ())
    assert [link.address for link in said.links] == [
        "https://h.example/own", "https://h.example/next", "https://h.example/c", "https://h.example/away",
    ]  # fmt: skip
    assert (said.canonical, said.refresh) == ("https://h.example/c", "https://h.example/away")
    kinds = Manner(links=("all",)).links
    every = {link.address for link in with_header(content, Extraction(""), kinds).links}
    assert {"https://h.example/s.css", "https://h.example/a/x"} <= every
    hints = with_header(content, Extraction(""), Manner(links=("hints",)).links).links
    assert "https://h.example/a/x" in {link.address for link in hints}
    own = with_header(content, Extraction("", canonical="https://h.example/o", refresh="https://h.example/r"), ())
    assert (own.canonical, own.refresh) == ("https://h.example/o", "https://h.example/r")


@pytest.mark.parametrize(
    ("kind", "markup"),
    [
        ("srcset", "<img srcset='/x" + "," * 300_000 + "'>"),
        ("srcset", "<img srcset='/x" + " ," * 150_000 + "'>"),
        ("hints", "<a ping='" + "/x " * 1_000_000 + "'>x</a>"),
        ("forms", "<form action=/x><div></form>" * 1_000 + "<input>" * 150_000),
        ("forms", "<form action=/x><div></form>" * 1_000 + "<input name=q form=n>" * 50_000),
    ],
    ids=["commas", "commas apart", "pings", "forms in each other", "named fields"],
)
def test_hostile_attributes_and_forms_are_read_in_time(kind: LinkKind, markup: str) -> None:
    assert len(found(markup, kind)) >= 1
    assert cpu_s(lambda: found(markup, kind)) < 4


def test_one_attribute_has_so_many_references_at_the_most() -> None:
    pings = " ".join(f"/{number}" for number in range(500))
    assert len(found(f"<a ping='{pings}'>x</a>", "hints")) == 100


@pytest.mark.parametrize(
    ("form", "wanted"),
    [
        ("<form action=/s?x#y><input name=\u0438 value='\u043c &amp;'></form>", "/s?%E8=%EC+%26"),
        ("<form action=/s accept-charset='none UTF-8 koi8-r'><input name=q value=\u043c></form>", "/s?q=%D0%BC"),
        ("<form action=/s accept-charset=koi8-r><input name=q value=\u043c></form>", "/s?q=%CD"),
        ("<form action=/s accept-charset=utf-16><input name=q value=\u043c></form>", "/s?q=%D0%BC"),
        ("<form action=/s><input name=q value=&#x6d2a;></form>", "/s?q=%26%2327946%3B"),
        ("<img srcset='/p?\u043c 2x'>", "/p?%EC"),
    ],
)
def test_forms_and_pictures_are_asked_for_in_the_charset_of_the_page(form: str, wanted: str) -> None:
    manner = Manner(links=("forms", "srcset"))
    said = extract_html(form.encode("cp1251"), address="http://h.example/a/", charset="windows-1251", manner=manner)
    assert [each.address for each in said.links] == [f"http://h.example{wanted}"]
