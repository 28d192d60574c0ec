"""Failures of the program that the proofs of reliability have found: the proof, the failure, the repair."""

from __future__ import annotations

from typing import NamedTuple


class Found(NamedTuple):
    """A failure of the program: the proof that found it, what went wrong, and what was changed."""

    by: str
    wrong: str
    mended: str


FOUND = (
    Found(
        "interleavings",
        "A deferred robots.txt was requested twice under one lease: once before the document that needs it, and once "
        "after the documents, because it was still in the queue as well.",
        "A prerequisite that is requested first is removed from the queue (`crawl/worker/host_updates.py`).",
    ),
    Found(
        "interleavings",
        "A retriever that was killed had claimed all of a run's limit. Its successor, which has the same name, found "
        "nothing left and reported nothing, so the claim was never released and the run never ended.",
        "A retriever that joins a run replaces the claims of its predecessor of the same name "
        "(`app/processes/entrypoints.py`).",
    ),
    Found(
        "interleavings",
        "A site that was to be handed over to another retriever just before its robots.txt was requested was neither "
        "visited nor handed over, and its run never ended.",
        "A prerequisite that is queued does not count as in progress (`frontier/queue/workbench.py`).",
    ),
    Found(
        "interleavings",
        "A retriever that had been suspended beyond the end of its leases began the visits in its queue before it "
        "checked who owns the sites now, so that requests to a site came too soon.",
        "No visit begins after the end of its lease (`crawl/worker/loop.py`).",
    ),
    Found(
        "interleavings",
        "When the clock was set forward, every lease seemed to have run out, so two retrievers visited one site until "
        "the first noticed that it had lost the lease.",
        "The end of a lease is judged by the clock that wrote it (`store/db/clock_steps.py`).",
    ),
    Found(
        "interleavings",
        "When the clock was set back, sites and pages waited, and a dead process kept its leases, for as long as the "
        "clock had been ahead.",
        "Timestamps that the present clock cannot have written are repaired when they are noticed "
        "(`crawl/run/clock_repair.py`).",
    ),
    Found(
        "interleavings",
        "A conductor that was suspended while the clock was ahead did not notice the step, so a host that was deferred "
        "meanwhile waited until a day that only the wrong clock had shown.",
        "A process that was suspended repairs timestamps as at its start, and so does every process that writes them "
        "(`crawl/run/clock_repair.py`).",
    ),
    Found(
        "interleavings",
        "The clock was set back and corrected within a minute, while a retriever was suspended: it noticed neither "
        "step, and leased a host two seconds before the lease of another, shortened meanwhile, had run out.",
        "A retriever that was suspended leases nothing that has an owner, like one that starts "
        "(`store/db/clock_steps.py`).",
    ),
    Found(
        "interleavings",
        "A server asked for a pause (`Retry-After`) just as the run of that request was stopped: the pause was not "
        "recorded, and another source's run went on visiting the server.",
        "Facts that a visit finds about its host are recorded even if its run has been stopped "
        "(`crawl/worker/host_updates.py`).",
    ),
    Found(
        "interleavings",
        "When a clock that had been a month behind was corrected, a site that other processes had visited meanwhile "
        "was not visited for a month, and its run did not go on.",
        "Requests of other processes count as made now at the latest, by the clock of the process "
        "(`frontier/queue/refill.py`).",
    ),
    Found(
        "interleavings",
        "After the clock was set forward, a run took its waiting time for over, or ended before its receivers had got "
        "their events.",
        "Intervals of a run ignore steps of the clock (`crawl/run/completion.py`).",
    ),
    Found(
        "power cuts",
        "After a power cut the index could be at the state before its last confirmed commit: the engine renames its "
        "metadata file last and does not sync the folder. Search lacked documents until the index was rebuilt.",
        "The folder is synced before a commit is confirmed (`search/index/tantivy/writer.py`).",
    ),
    Found(
        "power cuts",
        "Later lines of a batch that a JSON Lines receiver had not synced could be on the disk without earlier ones. "
        "They were taken for the whole batch, so the file kept a hole and repeated other events; a file that began "
        "with a hole was refused.",
        "A file is truncated at its first hole when the events are delivered again (`receivers/jsonlines.py`, "
        "`receivers/tail.py`).",
    ),
    Found(
        "failing calls",
        "A crawl of files hung for ever if a write of its retriever failed while a file had just been read: "
        "`asyncio.wait_for` of Python 3.11 then swallows the cancellation of the visit.",
        "A task is cancelled repeatedly until it ends (`crawl/worker/concurrency.py`), and nothing uses "
        "`asyncio.wait_for` any more.",
    ),
    Found(
        "failing calls",
        "An error of a disk in a rare place, as when a lock is taken, was reported as an internal error.",
        "It is reported as an error of the disk, with advice (`base/durability.py`).",
    ),
    Found(
        "failing calls",
        "If the engine's metadata file could not be written, a file of deletions of that commit stayed, and no later "
        "commit succeeded, because the engine overwrites no file. Search lacked documents until the index was rebuilt.",
        "Such files are removed when the index is opened for writing (`search/index/tantivy/writer.py`).",
    ),
    Found(
        "failing calls",
        "A read-only database ended processes again and again, each with a message, and the command only reported "
        "that processes had ended unexpectedly.",
        "The command reports that processes cannot go on, and why (`app/processes/session.py`).",
    ),
    Found(
        "outages",
        "Processes that had lost their database were restarted again and again while it was down, after ever longer "
        "pauses. It took them up to ten seconds to resume, and with a crash every three seconds they hardly worked.",
        "Each ends once, and its successor waits for the database (`app/processes/database_wait.py`).",
    ),
    Found(
        "outages",
        "If a database server had no free connection, the message was that it does not answer, with the advice to see "
        "whether it runs.",
        "The message says that no connection is free, and how to get one (`store/db/drivers.py`).",
    ),
    Found(
        "outages",
        "Readers who searched meanwhile saw a page about an internal error, and the log got a traceback each time.",
        "The page says that the database does not answer, and reloads; the log gets one line (`web/errors.py`).",
    ),
    Found(
        "disks",
        "Only the disks of the data folder and of the kept copies were checked: a database, an index or logs on a full "
        "disk of their own did not pause a crawl, and `status` did not name it.",
        "Every disk that a crawl writes to is checked, and `status` names the full one (`operate/system/disks.py`).",
    ),
    Found(
        "eta",
        "If a receiver took events more slowly than pages were visited, the run ended long after its estimate, and "
        "the estimate named the servers as the bottleneck.",
        "The estimate includes the slowest receiver and names it (`operate/runs/eta.py`).",
    ),
    Found(
        "eta",
        "On a busy machine each retriever got less than a whole processor, and the estimate named the servers as the "
        "bottleneck.",
        "The processor time that a retriever used and waited for is added up (`crawl/run/progress.py`).",
    ),
)
