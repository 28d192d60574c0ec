from __future__ import annotations

from cormorant.extract.mail.plain_text import calendar_lines, enriched, flowed, without_armor
from tests.extract.mail.reading import HEAD, body_of


def test_lines_of_a_flowed_paragraph_are_joined() -> None:
    assert flowed("one \r\ntwo\r\nthree", delete_space=False) == "one two\nthree"
    assert flowed("won \nder", delete_space=True) == "wonder"


def test_a_quotation_is_joined_at_its_own_depth() -> None:
    assert (
        flowed("> one \n> two\n>> deep \n> three\nanswer", delete_space=False) == "> one two\n>> deep \n> three\nanswer"
    )


def test_the_line_before_a_signature_joins_nothing() -> None:
    assert flowed("bye \n-- \nAnna", delete_space=False) == "bye \n-- \nAnna"


def test_stuffed_lines_lose_their_blank() -> None:
    assert flowed(" From here\n > no quotation", delete_space=False) == "From here\n> no quotation"


def test_a_mail_in_flowed_format_is_joined() -> None:
    mail = f"{HEAD}Content-Type: text/plain; format=flowed; delsp=yes\n\nCor \nmorant"
    assert body_of(mail) == "Cormorant"


def test_a_signed_text_loses_its_armor() -> None:
    text = (
        "-----BEGIN PGP SIGNED MESSAGE-----\nHash: SHA256\n\nHello\n-----BEGIN PGP SIGNATURE-----\n\niQ\n"
        "-----END PGP SIGNATURE-----\n"
    )
    assert without_armor(text)[0].strip() == "Hello"
    assert not without_armor(text)[1]


def test_armor_without_an_end_stays() -> None:
    for text in ("-----BEGIN PGP MESSAGE-----\nabc", "-----BEGIN PGP SIGNATURE-----\nabc"):
        assert without_armor(text) == (text, False)


def test_enriched_text_loses_its_commands() -> None:
    text = "<bold>Now</bold> is\nthe <color><param>red</param>time</color>\n\nfor <<x"
    assert enriched(text) == "Now is the time\n\nfor <x"


def test_only_events_of_a_calendar_are_read() -> None:
    text = (
        "BEGIN:VCALENDAR\r\nBEGIN:VTIMEZONE\r\nDTSTART:19700101T000000\r\nEND:VTIMEZONE\r\nBEGIN:VTODO\r\n"
        "SUMMARY:Water the\r\n  plants\r\nDTSTART;VALUE=DATE:20260314\r\nEND:VTODO\r\nSUMMARY:outside\r\nEND:VCALENDAR"
    )
    assert calendar_lines(text) == ["Water the plants", "2026-03-14"]
