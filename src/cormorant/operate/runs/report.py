"""Run report for people: the problems of a run, and notices although it went well."""

from __future__ import annotations

from typing import cast

from cormorant.operate.checks.problem import CheckContext
from cormorant.operate.checks.registry import CHECKS, NOTICES
from cormorant.operate.installation import Installation
from cormorant.operate.records.runs import RunProblemRecord
from cormorant.store.journal import runs


def of_run(house: Installation, number: int) -> list[RunProblemRecord]:
    """Problems of a run: `kind`, the data that it concerns, and a sentence.

    Kinds are run, machine, start, folder, rule, limit, delay, hosts, sitemap, login, held, document, size, text,
    script, receiver, copy, index, rights, waiting, trap. A problem shared by many addresses of one host is reported
    once, with their number as `addresses`. A run that others have followed has the problems of its visits, as they were
    when it ended. Raises NotFoundError.
    """
    with house.store.read() as tx:
        context = CheckContext.of(house, tx, number)
        found = _found(context)
        kept = [] if context.is_newest else cast("list[RunProblemRecord]", runs.kept_problems(tx, number) or [])
        known = {each["sentence"] for each in kept}
        return [*kept, *(each for each in found if each["sentence"] not in known)]


def keep(house: Installation, number: int) -> None:
    """Keep the problems of a run that has just ended: the next one visits the same documents. Raises NotFoundError."""
    with house.store.read() as tx:
        problems = _found(CheckContext.of(house, tx, number, of_today=False))
    with house.store.begin() as tx:
        runs.keep_problems(tx, number, problems)


def _found(context: CheckContext) -> list[RunProblemRecord]:
    return [problem.record() for check in CHECKS for problem in check(context)]


def notices(house: Installation, number: int) -> list[RunProblemRecord]:
    """Notices of a run, in the form of its problems. Raises NotFoundError."""
    with house.store.read() as tx:
        context = CheckContext.of(house, tx, number)
        return [notice.record() for check in NOTICES for notice in check(context)]
