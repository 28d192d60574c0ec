"""Run the long proofs one after the other, and write their page.

    python -m tests.journeys.prove [--shard N/M] [--again] [NAME ...]

Runs that went well at this commit are not repeated, so an interrupted proof resumes; `--again` repeats them. With
`--shard 2/3` every third run is taken, from the second on. If a proof fails, the others still run, and the exit code is
1. PROOF_RECORDS names the folder for records, else build/proofs.
"""

from __future__ import annotations

import argparse
import json
import os
import shlex
import shutil
import subprocess
import sys
import tempfile
from pathlib import Path

from cormorant.base.clock import SystemClock
from docs import reliability
from docs.proof import write
from tests.journeys.proofs import ENDS, FOLDER, PROOFS, Known, file_of

ROOT = Path(__file__).parents[2]
BROWSER = "faults in pages"
"""Proofs that are left out if there is no browser."""


def state() -> str:
    """The commit that is proven, "" while there are uncommitted edits."""
    git = shutil.which("git")
    if git is None:
        return ""

    def said(*what: str) -> str:
        return subprocess.run([git, *what], cwd=ROOT, capture_output=True, text=True, check=False).stdout.strip()

    edited = said("status", "--porcelain", "--", "src", "tests")
    return "" if edited else said("rev-parse", "HEAD")


def chosen(names: list[str], shard: str) -> list[tuple[Known, str]]:
    """The runs asked for: a proof, and what is given to it."""
    first, _, every = shard.partition("/")
    runs = [(each, given) for each in PROOFS if not names or each.name in names for given in each.given]
    return runs[int(first) - 1 :: int(every or 1)]


def run(proof: Known, given: str, folder: Path) -> int:
    """Run one, and write into what it leaves how it ended; returns its exit code."""
    command = [sys.executable, *shlex.split(proof.command)[1:], *shlex.split(given)]
    sys.stdout.write(f"{proof.name} {given}\n")
    sys.stdout.flush()
    with tempfile.TemporaryDirectory(prefix="proof-") as left:
        code = subprocess.run(command, cwd=ROOT, env=os.environ | {FOLDER: left}, check=False).returncode
        for path in Path(left).glob("*.json"):
            said = json.loads(path.read_text()) | {"code": code}
            (folder / path.name).write_text(json.dumps(said, indent=1) + "\n")
    return code


def main() -> int:
    """Prove what is to be proven; returns the exit code."""
    parser = argparse.ArgumentParser(prog="python -m tests.journeys.prove")
    parser.add_argument("names", nargs="*", metavar="NAME")
    parser.add_argument("--shard", default="1/1", metavar="N/M")
    parser.add_argument("--again", action="store_true")
    asked = parser.parse_args()
    if unknown := set(asked.names) - {each.name for each in PROOFS}:
        parser.error(f"no proof is called {', '.join(sorted(unknown))}")
    folder = Path(os.environ.get(FOLDER) or ROOT / "build/proofs").absolute()
    folder.mkdir(parents=True, exist_ok=True)
    clock, at = SystemClock(), state()
    for proof, given in chosen(asked.names, asked.shard):
        end = folder / ENDS.replace("*", file_of(proof.name, given))
        before = json.loads(end.read_text()) if end.exists() and at and not asked.again else {}
        if (before.get("at"), before.get("code")) == (at, 0):
            sys.stdout.write(f"{proof.name} {given}: went well at this commit\n")
            continue
        if proof.name == BROWSER and shutil.which("chromium") is None:
            sys.stdout.write(f"{proof.name}: left out, there is no browser\n")
            continue
        began = clock.monotonic()
        code = run(proof, given, folder)
        said = {
            "proof": proof.name,
            "given": given,
            "code": code,
            "at": at,
            "seconds": round(clock.monotonic() - began),
        }
        end.parent.mkdir(parents=True, exist_ok=True)
        end.write_text(json.dumps(said) + "\n")
    failed = write(folder)
    reliability.write()
    return int(failed > 0)


if __name__ == "__main__":
    sys.exit(main())
