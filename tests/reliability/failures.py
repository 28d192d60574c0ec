"""What the proofs of reliability have found in the program: by what, what went wrong, how it was mended."""

from __future__ import annotations

from typing import NamedTuple


class Found(NamedTuple):
    """A failure of the program: which proof found it, what went wrong, and what is otherwise now."""

    by: str
    wrong: str
    mended: str


FOUND = (
    Found(
        "interleavings",
        "A robots.txt that had been put off was asked for twice under one lease: once in front of the document that "
        "needs it, once behind the documents, where it waited as well.",
        "What comes in front is taken out of what waits (`crawl/worker/host_updates.py`).",
    ),
    Found(
        "interleavings",
        "A retriever that was killed had claimed all of a run's limit; the one that began in its place found nothing "
        "left for it and told nobody, so the claim stood under a name that lived, and the run stood still for ever.",
        "Who begins to work on a run replaces what one of its name had claimed (`app/processes/entrypoints.py`).",
    ),
    Found(
        "interleavings",
        "A site that was to be handed over to another retriever just as its robots.txt was to be asked for was neither "
        "visited nor handed over, and its run stood still for ever.",
        "A prerequisite that waits does not count as under way (`frontier/queue/workbench.py`).",
    ),
    Found(
        "interleavings",
        "A retriever that had been stopped for longer than its leases last began the visits it had read ahead before "
        "it looked who has the sites now, so that a site was asked sooner than it allows.",
        "No visit begins behind the end of its lease (`crawl/worker/loop.py`).",
    ),
    Found(
        "interleavings",
        "A clock that somebody set forward showed that every lease had run out, so two retrievers visited one site, "
        "until the first was told so.",
        "What has run out is judged by the clock it was written by (`store/db/clock_steps.py`).",
    ),
    Found(
        "interleavings",
        "Set back, the clock had sites and pages wait, and a dead process hold what it had leased, for as long as it "
        "had been ahead.",
        "What no clock of today can have written is put right when that is seen (`crawl/run/clock_repair.py`).",
    ),
    Found(
        "interleavings",
        "A conductor that was stopped for all the time that a clock was ahead saw nothing of that, so a host that was "
        "put off meanwhile waited until a day that the clock had shown.",
        "Who has not looked for long looks as if it began, and whoever wrote something looks as well "
        "(`crawl/run/clock_repair.py`).",
    ),
    Found(
        "interleavings",
        "The clock was set back and set right again within a minute, while a retriever was stopped: it saw neither, "
        "and took a host for free two seconds before its lease, which was shortened meanwhile, had run out.",
        "A retriever that has not looked for long takes nothing that has an owner, like one that begins "
        "(`store/db/clock_steps.py`).",
    ),
    Found(
        "interleavings",
        "A server asked to be left alone, just as the run was stopped that had asked it for something: nobody took "
        "note of that, and another source's run went on asking it.",
        "What a visit says of its site counts whatever became of its run (`crawl/worker/host_updates.py`).",
    ),
    Found(
        "interleavings",
        "When a clock that had been a month behind was put right, a site that was known to have been asked by others "
        "meanwhile was left alone for a month, and its run stood still.",
        "A request of others was now at the latest, by the clock of the process (`frontier/queue/refill.py`).",
    ),
    Found(
        "interleavings",
        "A run whose clock was set forward took its patience for spent, or ended before its receivers had been told.",
        "Intervals of a run leave steps of the clock out (`crawl/run/completion.py`).",
    ),
    Found(
        "power cuts",
        "An index whose commit had been confirmed could be the one before it: the engine renames its table of contents "
        "last and does not sync the folder. Search then lacked documents until a person rebuilt the index.",
        "The folder is synced before a commit is told of (`search/index/tantivy/writer.py`).",
    ),
    Found(
        "power cuts",
        "Of a batch that a JSON Lines receiver had not synced, later lines could be there without earlier ones. They "
        "were taken for all of it, so its file kept a hole and had other events twice; one that began with a hole was "
        "refused.",
        "What has a hole is cut off when its events come again (`receivers/jsonlines.py`, `receivers/tail.py`).",
    ),
    Found(
        "failing calls",
        "A crawl of files hung for good when its retriever could not write while a file had just been read: "
        "`asyncio.wait_for` of Python 3.11 swallows then that the visit is to end.",
        "What is to end is told so until it does (`crawl/worker/concurrency.py`), and nothing waits in that way.",
    ),
    Found(
        "failing calls",
        "A disk's refusal in places that seldom fail, as when a lock is taken, was told as a fault of the program.",
        "It is told as what it is, with what to do (`base/durability.py`).",
    ),
    Found(
        "failing calls",
        "Where the engine's table of contents could not be written, a file of deletions of that commit stayed, and no "
        "later commit succeeded: the engine writes over no file. Search lacked documents until a person rebuilt the "
        "index.",
        "Such files are removed when the index is opened for writing (`search/index/tantivy/writer.py`).",
    ),
    Found(
        "failing calls",
        "A database that may only be read ended processes again and again, each saying so, and the command closed with "
        "processes that ended unexpectedly.",
        "It says that they cannot go on for what was told (`app/processes/session.py`).",
    ),
    Found(
        "outages",
        "Processes that had lost their database died again and again while it was away, each rest longer than the one "
        "before, so that it took up to ten seconds to go on, and a crash every three seconds left hardly any of it.",
        "Each dies once and then waits for the database by itself (`app/processes/database_wait.py`).",
    ),
    Found(
        "outages",
        "A server without a free connection was said not to answer, with the advice to see whether it runs.",
        "It is said to have no connection free, and what gives it one (`store/db/drivers.py`).",
    ),
    Found(
        "outages",
        "Who searched meanwhile was told that something went wrong on our side, and each time the log got a traceback.",
        "The page says that the database does not answer and looks again; the log gets a line (`web/errors.py`).",
    ),
    Found(
        "disks",
        "Only the disks of the data folder and of the kept copies were looked at: a database, an index or logs on a "
        "full disk of their own paused nothing, and `status` did not name it.",
        "Every disk that a crawl writes to is looked at, and `status` says in a sentence which is full "
        "(`operate/system/disks.py`).",
    ),
    Found(
        "eta",
        "Where a receiver was told slower than pages were visited, the end lay far behind what was said, and "
        "the servers were named as what held the run up.",
        "A run's end is foreseen by its slowest receiver too, which is named (`operate/runs/eta.py`).",
    ),
    Found(
        "eta",
        "On a busy machine, whose processors retrievers shared with others, each used less than a whole one, and the "
        "servers were named.",
        "What a retriever had and waited for counts together (`crawl/run/progress.py`).",
    ),
)
