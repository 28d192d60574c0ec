"""Deliveries made of a number, so that anybody can say what the line of an event has to be."""

from __future__ import annotations

from cormorant.receivers.protocol import Delivery


def delivery(seq: int, size: int = 100) -> Delivery:
    """Event number `seq`: every fifth is a deletion."""
    url = f"https://harbour.example/{seq}"
    if seq % 5 == 0:
        return Delivery(seq, "deleted", run=1, source="harbour", url=url)
    document = {"source": "harbour", "url": url, "status": 200, "title": f"Plover {seq} am »Nordmole«", "indexed": True}
    return Delivery(seq, "found", 1, "harbour", url, document, text="two\nlines " * (size // 10), html="<p>\u2028</p>")


def deliveries(first: int, last: int, size: int = 100) -> list[Delivery]:
    """Events `first` to `last`, both included."""
    return [delivery(seq, size) for seq in range(first, last + 1)]
