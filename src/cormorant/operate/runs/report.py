"""Run report for people: the problems of a run, and what should be known of it although it went well."""

from __future__ import annotations

from cormorant.operate.checks.problem import CheckContext
from cormorant.operate.checks.registry import CHECKS, NOTICES
from cormorant.operate.installation import Installation
from cormorant.operate.records.runs import RunProblemRecord


def of_run(house: Installation, number: int) -> list[RunProblemRecord]:
    """Problems of a run: what it is about, a sentence, and `kind`.

    Kinds are run, machine, start, folder, rule, limit, delay, hosts, sitemap, login, held, document, size, text,
    script, receiver, copy, index, rights, waiting, trap. A problem that many addresses of one host share is named once,
    with `addresses`, how many there are. Raises NotFoundError.
    """
    with house.store.read() as tx:
        context = CheckContext.of(house, tx, number)
        return [problem.record() for check in CHECKS for problem in check(context)]


def notices(house: Installation, number: int) -> list[RunProblemRecord]:
    """Notices of a run, in the form of its problems. Raises NotFoundError."""
    with house.store.read() as tx:
        context = CheckContext.of(house, tx, number)
        return [notice.record() for check in NOTICES for notice in check(context)]
