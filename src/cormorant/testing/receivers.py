"""The suite for receivers, and its sample deliveries."""

from __future__ import annotations

from collections.abc import Sequence
from typing import Protocol

from cormorant.receivers.protocol import Delivery, KeptCopy, Refusal, Stop


def delivery(seq: int, size: int = 100) -> Delivery:
    """Return event number `seq`: every fifth is a deletion."""
    url = f"https://harbour.example/{seq}"
    if seq % 5 == 0:
        return Delivery(seq, "deleted", run=1, source="harbour", url=url, id=seq)
    document = {"source": "harbour", "url": url, "status": 200, "title": f"Plover {seq} am »Nordmole«", "indexed": True}
    text = "two\nlines " * (size // 10)
    return Delivery(seq, "found", 1, "harbour", url, document, text, html="<p>\u2028</p>", kept=kept(seq), id=seq)


def kept(seq: int) -> KeptCopy:
    """Return a cached copy: every seventh is a file, not fetched by HTTP."""
    if seq % 7 == 0:
        return KeptCopy("", b"", b"\x00file %d" % seq, "application/pdf", 1_700_000_000.0 + seq, truncated=False)
    head = b"Content-Type: text/html\r\nContent-Encoding: gzip\r\nContent-Length: 3\r\nX-Odd: \xff\r\n"
    return KeptCopy(
        "HTTP/1.1 200 OK", head, b"<p>page %d</p>" % seq, "text/html", 1_700_000_000.0 + seq, truncated=False
    )


def deliveries(first: int, last: int, size: int = 100) -> list[Delivery]:
    """Return events `first` to `last`, both included."""
    return [delivery(seq, size) for seq in range(first, last + 1)]


class Taking(Protocol):
    """The methods of a receiver."""

    def open(self) -> None:
        """Prepare to receive."""
        ...

    def receive(self, batch: Sequence[Delivery]) -> Sequence[Refusal | Stop]:
        """Store a batch."""
        ...

    def close(self) -> None:
        """Release all resources."""
        ...


class ReceiverSuite:
    """Conformance suite of receivers. A subclass gives `make`, a new receiver for the same place, and `kept`."""

    def make(self) -> Taking:
        """Return a new receiver."""
        raise NotImplementedError

    def kept(self) -> object:
        """Return the content of the place, in any form that can be compared."""
        raise NotImplementedError

    def wanted(self, *seqs: int) -> object:
        """Return the content of the place after these events, in the form of `kept`."""
        raise NotImplementedError

    def told(self, *batches: Sequence[Delivery]) -> list[Refusal | Stop]:
        """Open a receiver, deliver batches to it and close it; returns the deliveries that it rejected."""
        receiver = self.make()
        receiver.open()
        said = [each for batch in batches for each in receiver.receive(batch)]
        receiver.close()
        return said

    def test_every_event_is_kept_in_order(self) -> None:
        """No delivery is lost or rejected; an empty batch is accepted."""
        assert self.told(deliveries(1, 10), [], deliveries(11, 12)) == []
        assert self.kept() == self.wanted(*range(1, 13))

    def test_it_goes_on_where_it_was(self) -> None:
        """Documents stored before the receiver was closed are still there."""
        self.told(deliveries(1, 3))
        self.told(deliveries(4, 6))
        assert self.kept() == self.wanted(*range(1, 7))

    def test_numbers_may_have_gaps(self) -> None:
        """Other receivers get events, too, so numbers have gaps."""
        self.told([delivery(3), delivery(41), delivery(42)], [delivery(1001)])
        assert self.kept() == self.wanted(3, 41, 42, 1001)

    def test_what_comes_again_is_kept_once(self) -> None:
        """After a kill a batch is delivered again, with the same numbers."""
        self.told(deliveries(1, 5))
        self.told(deliveries(1, 5), deliveries(4, 8))
        assert self.kept() == self.wanted(*range(1, 9))

    def test_a_large_batch_is_one_batch(self) -> None:
        """A batch of a few megabytes is accepted."""
        self.told(deliveries(1, 3000, size=2000))
        assert self.kept() == self.wanted(*range(1, 3001))

    def test_closing_twice_and_opening_again(self) -> None:
        """A receiver may be closed at any time."""
        receiver = self.make()
        receiver.close()
        receiver.open()
        receiver.receive(deliveries(1, 1))
        receiver.close()
        receiver.close()
        receiver.open()
        receiver.receive(deliveries(2, 2))
        receiver.close()
        assert self.kept() == self.wanted(1, 2)
