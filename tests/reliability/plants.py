"""The faults that the simulation has to find: plausible mistakes in the product, listed before it was written.

`make prove` plants each into a copy of the package and runs seeds until one of them fails.
"""

from __future__ import annotations

from tests.journeys.plants import Plant


def _plant(name: str, file: str, *changes: tuple[str, str]) -> Plant:
    return Plant(name, file, changes)


_LEASES, _SUPPLY, _DESK = "frontier/queue/host_leases.py", "frontier/queue/refill.py", "frontier/queue/workbench.py"
_DISPATCH, _RUNS, _WAITING = "crawl/commit/committer.py", "store/journal/runs.py", "crawl/run/completion.py"
_SETTLED = "            runs.count(tx, self.order.run, means.owner, counters)\n        return lost, put_right"
_LATER = "            runs.count(tx, self.order.run, means.owner, counters)\n        with means.store.begin() as tx:\n"
_FREE = "sa.or_(columns.owner.is_(None), columns.lease_until <= lapsed),"
_READ = (
    "            if resource.id not in work.held:\n                work.held.add(resource.id)\n                queue"
)

LEASED = (
    _plant(
        "the epoch of a lease is not checked when a batch is committed",
        _LEASES,
        ("if row.epoch == wanted[row.id].lease.epoch and row.owner == owner\n", "if row.id in wanted\n"),
    ),
    _plant("a leased site is leased to another process", _LEASES, (_FREE, "sa.true(),")),
    _plant("a lease never runs out", _LEASES, (_FREE, "columns.owner.is_(None),")),
    _plant("a visit under a lost lease is committed", _DISPATCH, ("batch.without(lost) if lost else batch", "batch")),
    _plant(
        "a suspended process begins visits after the end of its lease",
        "crawl/worker/loop.py",
        ("task.site.leased_until > now and self", "self"),
    ),
    _plant(
        "a lost lease counts as renewed",
        _SUPPLY,
        (
            "        lost = renew(tx, self._owner, old)\n",
            "        lost = renew(tx, self._owner, old) - {site.lease.site for site in old}\n",
        ),
    ),
    _plant(
        "a URL in progress is handed out again", _SUPPLY, (_READ, _READ.replace("resource.id not in work.held", "True"))
    ),
)
SET = (
    _plant(
        "a lease ends early when the clock is set forward",
        "store/db/database.py",
        (
            "        return -inf if self._steady.doubts(seconds) else self.lapsed(seconds, now)\n",
            "        return now\n",
        ),
    ),
    _plant(
        "timestamps of a clock that was ahead are not repaired",
        "crawl/run/clock_repair.py",
        ("host_leases.shorten(tx) + host_facts.shorten(tx)", "host_facts.shorten(tx)"),
    ),
    _plant(
        "a run measures its wait for receivers by the settable clock",
        _WAITING,
        ("        began, took_s = now - tx.stepped(), now", "        began, took_s = now, now"),
        ("            steady = now - tx.stepped()\n", "            steady = now\n"),
    ),
)
HURRIED = (
    _plant(
        "the next owner of a site does not know the time of its last request",
        "crawl/worker/host_updates.py",
        ("    site.sent_at = moment.latest_of(site.requested_at)\n", "    assert moment.store\n"),
    ),
    _plant(
        "the sites of a killed process are visited without delay",
        _LEASES,
        (
            "values(owner=None, lease_until=0.0, requested_at=tx.now())\n    return",
            "values(owner=None, lease_until=0.0)\n    return",
        ),
    ),
    _plant(
        "the delay is measured between planned instead of sent requests",
        _DESK,
        ("            self.next_at = max(self.next_at, self.sent_at + self.delay_s + SLACK_S)\n", "            pass\n"),
        (
            "        after = self.lane.sent_at + self.delay_s + SLACK_S if self.delay_s else 0.0\n",
            "        after = 0.0\n",
        ),
        (
            "        return self.under_way < parallel and not (delay_s and self.unsent)\n",
            "        return self.under_way < parallel\n",
        ),
    ),
    _plant(
        "sites at one IP address do not share their pace",
        _DESK,
        ("        if name:\n            site.lane = ", "        if name and not self.sites:\n            site.lane = "),
    ),
    _plant(
        "the pause that a site asked for is ignored",
        _DESK,
        ("return max(self.next_at, self.rest_until, after)", "return max(self.next_at, after)"),
    ),
)
LOST = (
    _plant(
        "a URL that arrives while a site is finished is forgotten",
        _SUPPLY,
        (
            "        if left is not None and left <= tx.now():\n            work.reread()\n"
            "        elif host_leases.finish(tx, site.lease.site, source, generation, work.arrivals, left or 0.0):",
            "        left = None if left is not None and left <= tx.now() else left\n"
            "        there = host_leases.arrivals(tx, [site.lease.site], plan.generations)[site.lease.site]\n"
            "        if host_leases.finish(tx, site.lease.site, source, generation, there.get(source, 0), left "
            "or 0.0):",
        ),
    ),
    _plant(
        "a URL that arrives at a finished site does not reopen it",
        "frontier/state/enqueue.py",
        (
            "not_before = 0,\n    done_generation = CASE WHEN site_source.done_generation > :before THEN :before"
            " ELSE site_source.done_generation END\n",
            "not_before = 0\n",
        ),
    ),
    _plant(
        "links are admitted in a transaction of their own",
        _DISPATCH,
        ("            counters.discovered += discovered_links.admit(tx, means.sites, self.order, kept)\n", ""),
        (
            _SETTLED,
            _LATER
            + "            discovered_links.admit(tx, means.sites, self.order, kept)\n        return lost, put_right",
        ),
    ),
    _plant(
        "a visit is completed in one transaction and its document is written in the next",
        _DISPATCH,
        (
            "            persist.write(tx, made, self.order.run)\n",
            "            persist.writes.fates(tx, made.fates, self.order.run)\n",
        ),
        (_SETTLED, _LATER + "            persist.write(tx, made, self.order.run)\n        return lost, put_right"),
    ),
    _plant(
        "a deferred URL is left to the next run",
        "frontier/policy/transition.py",
        (
            "again = url_priority.due(at.generation, url_priority.LAST",
            "again = url_priority.due(at.generation + 1, url_priority.LAST",
        ),
    ),
    _plant(
        "a run ends while one of its sites is unfinished",
        _WAITING,
        ("if left.sites == 0 or seen.stopped:", "if left.sites <= 1 or seen.stopped:"),
    ),
)
DELIVERED = (
    _plant(
        "event numbers of the stream have gaps",
        "receivers/stream.py",
        ("values(seq=stream_head.c.seq + count)", "values(seq=stream_head.c.seq + count + 1)"),
    ),
    _plant(
        "events are appended in a transaction of their own",
        _DISPATCH,
        (
            "            persist.write(tx, made, self.order.run)\n",
            "            append, persist.stream.append = persist.stream.append, lambda *_: 0\n"
            "            persist.write(tx, made, self.order.run)\n            persist.stream.append = append\n",
        ),
        (
            _SETTLED,
            _LATER + "            if made.entries:\n                persist.stream.append(tx, made.entries)\n"
            "        return lost, put_right",
        ),
    ),
    _plant(
        "a receiver's confirmed place is one event too far",
        "crawl/deliver/ack.py",
        (
            "    receivers.set_place(tx, row.id, place, errand.outlet.last_seq)\n",
            "    receivers.set_place(tx, row.id, min(place + 1, stream.head(tx)))\n",
        ),
    ),
    _plant(
        "a run does not wait for its receivers",
        _WAITING,
        ("behind = [each for each in served if each.place < end and not each.paused]", "behind = list(served[:0])"),
    ),
)
STEERED = (
    _plant(
        "a stopped run continues",
        _RUNS,
        (".where(run.c.id == number, run.c.state == expected)", ".where(run.c.id == number, expected != '')"),
    ),
    _plant(
        "visits of a suspended run continue",
        "app/processes/entrypoints.py",
        (
            "open_ = [row for row in runs.open_runs(tx) if row.is_for(self._house.node)]\n"
            "            rows = [row for row in open_ if row.state in (RunState.DISCOVERING, RunState.RETRIEVING)]",
            "rows = [row for row in runs.unfinished_runs(tx) if row.state in "
            "(RunState.DISCOVERING, RunState.RETRIEVING, RunState.SUSPENDED)]",
        ),
    ),
    _plant(
        "a launch never ends if its run was stopped",
        "operate/runs/scheduler.py",
        (
            "    elif run is None or run.state not in (*OPEN_STATES, RunState.SUSPENDED):\n",
            "    elif run is None or run.state not in (*OPEN_STATES, RunState.SUSPENDED, RunState.STOPPED):\n",
        ),
    ),
    _plant(
        "a schedule skips times",
        "operate/runs/scheduler.py",
        (
            "    at = rhythm.after(now if since is None else max(now, since))\n",
            "    at = rhythm.after((now if since is None else max(now, since)) + 1800.0)\n",
        ),
    ),
)
PLANTS = (*LEASED, *SET, *HURRIED, *LOST, *DELIVERED, *STEERED)
"""29 faults; each has a file of the package, and texts with their replacements."""
