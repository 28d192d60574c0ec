import pytest
from hypothesis import given, strategies as st

from cormorant.extract.detect.language import DEFAULT, HEADER, PAGE, TEXT, Declared, language_of_text, language_said

ENGLISH = (
    "The library is open to everyone who lives in the town, and the reading room is kept warm in winter. Most of the "
    "books can be taken home for a month, but the maps and the oldest of the newspapers have to be read there. "
) * 3
GERMAN = (
    "Die Bücherei ist für alle offen, die in der Stadt wohnen, und der Lesesaal wird im Winter geheizt. Die meisten "
    "Bücher darf man mit nach Hause nehmen, aber die Karten und das älteste Zeitungsarchiv sind nicht dabei. "
) * 3
DANISH = (
    "Biblioteket er åbent for alle, der bor i byen, og læsesalen bliver varm om vinteren. De fleste af bøgerne må "
    "man tage med hjem i en måned, men kortene og de ældste aviser skal læses på stedet, fordi de ikke tåler meget. "
) * 3
JAPANESE = (
    "図書館は町に住むすべての人に開かれており、冬の間は閲覧室が暖かく保たれています。Python と SQLite を使います。" * 8
)
UZBEK = (
    "Kutubxona shaharda yashaydigan har bir kishi uchun ochiq va qishda o'qish zali issiq. Ko'p kitoblarni bir oyga "
    "uyga olib ketish mumkin, lekin xaritalar va eski gazetalar bilan faqat shu yerda ishlanadi, bu ham qoida. "
) * 3
NAMES = "GetObject PutObject ListBuckets DeleteMarker ETag VersionId HeadBucket RestoreRequest TagSet " * 8


@pytest.mark.parametrize(
    ("text", "wanted"),
    [
        (ENGLISH, "en"),
        (GERMAN, "de"),
        (JAPANESE, "ja"),
        (UZBEK, "uz"),
        (NAMES, ""),
        ("", ""),
        ("12 34 56 " * 90, ""),
        ("Kurz.", ""),
    ],
)
def test_a_text_tells_its_language_or_nothing(text: str, wanted: str) -> None:
    assert language_of_text(text) == wanted


@pytest.mark.parametrize(
    ("declared", "text", "wanted"),
    [
        (Declared("en-gb", "de"), ENGLISH, ("en-gb", PAGE)),
        (Declared("", "de-at"), GERMAN, ("de-at", HEADER)),
        (Declared("en"), GERMAN, ("de", TEXT)),
        (Declared("en"), "Kurz und gut.", ("en", PAGE)),
        (Declared("en"), NAMES, ("en", PAGE)),
        (Declared("gsw"), GERMAN, ("gsw", PAGE)),
        (Declared("sv"), DANISH, ("sv", PAGE)),
        (Declared("en"), DANISH, ("da", TEXT)),
        (Declared("ru"), ENGLISH, ("en", TEXT)),
        (Declared("ja"), NAMES, ("ja", PAGE)),
        (Declared("ja"), JAPANESE, ("ja", PAGE)),
        (Declared("nb-NO"), ENGLISH, ("en", TEXT)),
        (Declared("nl"), GERMAN.replace("ü", "ue"), ("de", TEXT)),
        (Declared(default="fr"), GERMAN, ("de", TEXT)),
        (Declared(default="fr"), NAMES, ("fr", DEFAULT)),
        (Declared(), NAMES, ("", "")),
    ],
)
def test_what_is_declared_stands_unless_the_text_plainly_says_another(
    declared: Declared, text: str, wanted: tuple[str, str]
) -> None:
    assert language_said(declared, text) == wanted


@given(st.text(), st.sampled_from(["", "en", "ja", "x-klingon"]))
def test_any_text_gets_an_answer(text: str, declared: str) -> None:
    tag, known_from = language_said(Declared(declared), text * 20)
    assert (tag == "") == (known_from == "")
