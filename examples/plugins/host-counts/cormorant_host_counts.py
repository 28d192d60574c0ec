"""A receiver that counts the documents of each host in a CSV file, which is rewritten with each batch."""

import csv
from collections.abc import Sequence
from pathlib import Path
from urllib.parse import urlsplit

from pydantic import Field

from cormorant.plugins import BaseReceiver, Delivery, ReceiverSettings, Refusal, Stop

EVENTS = {"new": 1, "found": 1, "deleted": -1}


class CountSettings(ReceiverSettings):
    """What can be set on a receiver of this kind, beside what every receiver has."""

    path: Path = Field(description="The CSV file, like /srv/hosts.csv. Its folder must exist.")


class HostCounts(BaseReceiver[CountSettings]):
    """Counts, and the last number that is counted in: what comes again is counted once."""

    about = "Counts of documents by host, in a CSV file."
    Settings = CountSettings

    def open(self) -> None:
        """Read what was counted before."""
        self.last, self.counts = 0, dict[str, int]()
        if self.settings.path.exists():
            with self.settings.path.open(newline="") as file:
                rows = [(host, int(count)) for host, count in csv.reader(file)]
            self.last = rows[0][1]
            self.counts = dict(rows[1:])

    def receive(self, batch: Sequence[Delivery]) -> Sequence[Refusal | Stop]:
        """Count a batch, and write the file: when this returns, the batch is kept."""
        for each in batch:
            if each.seq > self.last and each.event in EVENTS:
                host = urlsplit(each.url).hostname or urlsplit(each.url).scheme
                self.counts[host] = self.counts.get(host, 0) + EVENTS[each.event]
            self.last = max(self.last, each.seq)
        whole = self.settings.path.with_suffix(".new")
        with whole.open("w", newline="") as file:
            csv.writer(file).writerows([("last", self.last), *sorted(self.counts.items())])
        whole.replace(self.settings.path)
        return ()
