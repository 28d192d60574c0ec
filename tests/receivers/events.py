"""Deliveries made of a number, so that anybody can say what the line of an event has to be."""

from __future__ import annotations

from cormorant.receivers.protocol import Delivery, KeptCopy


def delivery(seq: int, size: int = 100) -> Delivery:
    """Event number `seq`: every fifth is a deletion."""
    url = f"https://harbour.example/{seq}"
    if seq % 5 == 0:
        return Delivery(seq, "deleted", run=1, source="harbour", url=url, id=seq)
    document = {"source": "harbour", "url": url, "status": 200, "title": f"Plover {seq} am »Nordmole«", "indexed": True}
    text = "two\nlines " * (size // 10)
    return Delivery(seq, "found", 1, "harbour", url, document, text, html="<p>\u2028</p>", kept=kept(seq), id=seq)


def kept(seq: int) -> KeptCopy:
    """What was fetched of it: every seventh is a file, and came by no HTTP."""
    if seq % 7 == 0:
        return KeptCopy("", b"", b"\x00file %d" % seq, "application/pdf", 1_700_000_000.0 + seq, truncated=False)
    head = b"Content-Type: text/html\r\nContent-Encoding: gzip\r\nContent-Length: 3\r\nX-Odd: \xff\r\n"
    return KeptCopy(
        "HTTP/1.1 200 OK", head, b"<p>page %d</p>" % seq, "text/html", 1_700_000_000.0 + seq, truncated=False
    )


def deliveries(first: int, last: int, size: int = 100) -> list[Delivery]:
    """Events `first` to `last`, both included."""
    return [delivery(seq, size) for seq in range(first, last + 1)]
