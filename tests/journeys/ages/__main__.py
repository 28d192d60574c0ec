"""Data folders of older versions are upgraded without loss, and their interrupted runs resume.

    python -m tests.journeys.ages [--store sqlite|postgresql] [COMMIT ...]

An older version of the program, with the packages of its own lock file, crawls a site and a folder, and another site
until it is killed. Then this version opens the folder with its commands: the database is upgraded after a backup and
passes the checks, the interrupted run resumes without repeating requests, the next crawl finds no changes, every word
is found, and a receiver has got every document once. After that the older version refuses the folder. The exit code is
1 on a deviation. A version that cannot be installed any more is reported as left out.
"""

from __future__ import annotations

import argparse
import json
import sys
import tempfile
from pathlib import Path

from tests.journeys.ages.life import Life, Seen
from tests.journeys.ages.versions import AGES, ON_A_SERVER, Age, NotToBeHadError, Versions
from tests.journeys.kills import place
from tests.journeys.proofs import record


def live(age: Age, store: str, versions: Versions) -> Seen:
    """Have an installation grow as old as this. Raises NotToBeHadError."""
    program = versions.program(age, server=store == "postgresql")
    with place(store) as (home, folder):
        return Life(age, program, home, folder).live()


def main() -> int:
    """Prove it; returns the exit code."""
    parser = argparse.ArgumentParser(prog="python -m tests.journeys.ages")
    parser.add_argument("--store", choices=("sqlite", "postgresql"), default="sqlite")
    parser.add_argument("commits", nargs="*", metavar="COMMIT", help=", ".join(each.commit for each in AGES))
    given = parser.parse_args()
    wanted = given.commits or (ON_A_SERVER if given.store == "postgresql" else [each.commit for each in AGES])
    seen, left_out = list[Seen](), dict[str, str]()
    with tempfile.TemporaryDirectory(prefix="ages-") as folder:
        versions = Versions(Path(folder))
        for age in [each for each in AGES if each.commit in wanted]:
            try:
                seen.append(live(age, given.store, versions))
            except NotToBeHadError as error:
                left_out[f"{age.schema} ({age.commit})"] = str(error)
                continue
            sys.stdout.write(json.dumps({"schema": age.schema, "commit": age.commit} | seen[-1].figures()) + "\n")
            sys.stdout.flush()
    faults = [fault for each in seen for fault in each.wrong]
    sys.stdout.write("".join(f"- {each}\n" for each in [*faults, *map(": ".join, left_out.items())]))
    total = {name: sum(each.figures()[name] for each in seen) for name in Seen().figures()}
    record("ages", {"versions": len(seen)} | total | {"wrong": len(faults)}, left_out, part=given.store)
    return int(bool(faults) or not seen)


if __name__ == "__main__":
    sys.exit(main())
