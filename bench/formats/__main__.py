"""``python -m bench.formats``: measure which places of documents readers find, and write the tables."""

from __future__ import annotations

import argparse
import signal
import sys
from collections.abc import Iterable
from contextlib import ExitStack
from datetime import UTC, datetime
from pathlib import Path
from typing import Final

from bench.alone import alone
from bench.formats import converted
from bench.formats.corpus import FORMS, Corpus, make
from bench.formats.environments import WORK, NotHere
from bench.formats.folder import differences
from bench.formats.judge import judged
from bench.formats.page import Judgement, Report, Speed, behind, written
from bench.formats.peers import OURS, PEERS, Peer
from bench.formats.process import ReaderProcess
from bench.formats.sample import Sample
from bench.places import ROOT

PAGE: Final = ROOT / "docs" / "reference" / "formats-found.md"


def main(arguments: list[str]) -> int:
    """Make the documents, have them read, write the tables. Always 0: the figures are for people."""
    signal.signal(signal.SIGTERM, lambda *_: sys.exit("ended by SIGTERM"))
    options = _options(arguments)
    with alone() as free:
        if free and options.folder:
            _compare(options)
        elif free:
            _measure(options)
    return 0


def _measure(options: argparse.Namespace) -> None:
    """Do what the options say."""
    WORK.mkdir(parents=True, exist_ok=True)
    forms = tuple(form for form in FORMS if form in options.only)
    corpus = make(WORK / "documents", WORK / "making", frozenset(forms))
    print(f"{len(corpus.samples)} documents; {len(corpus.unmade)} not made", flush=True)
    readers, missing = _readers((OURS, *(peer for peer in PEERS if peer.name in options.peers)))
    with ExitStack() as stack:
        running = {
            peer: stack.enter_context(ReaderProcess(command, WORK / f"{peer.name}.log"))
            for peer, command in readers.items()
        }
        judgements = {form: [_judged(path, each, running) for path, each in _of(corpus, form)] for form in forms}
        speeds = {form: _speeds([path for path, _ in _of(corpus, form)], running, options.rounds) for form in forms}
    speed = f"for speed each document was read {options.rounds} times, after as many times to warm up"
    about = (f"measured on {datetime.now(UTC):%Y-%m-%d}", speed, f"writers: {_writers(corpus)}", *missing)
    found = {form: each for form, each in judgements.items() if each}
    report = Report([peer.title for peer in running], about, found, corpus.unmade, speeds)
    options.out.write_text(written(report), encoding="utf-8")
    print(*behind(report, OURS.title), sep="\n")
    print(f"Written to {options.out}")


def _compare(options: argparse.Namespace) -> None:
    """Print a row for each document of a folder in which the first of the peers finds words that ours does not."""
    WORK.mkdir(parents=True, exist_ok=True)
    peer = next(each for each in PEERS if each.name in options.peers)
    with (
        ReaderProcess(OURS.command(), WORK / "ours.log") as ours,
        ReaderProcess(peer.command(), WORK / f"{peer.name}.log") as theirs,
    ):
        print(
            f"| file | words, ours | words, {peer.title} | not in ours | some of them | errors |\n" + "| --- " * 6 + "|"
        )
        for each in differences(options.folder, ours, theirs):
            if each.missing or any(each.errors):
                print(each, flush=True)


def _readers(peers: Iterable[Peer]) -> tuple[dict[Peer, tuple[str, ...]], list[str]]:
    """Return the command of each reader that is here, and a sentence about each other."""
    here, missing = {}, []
    for peer in peers:
        try:
            here[peer] = peer.command()
        except NotHere as error:
            missing.append(f"not measured: {error}")
    return here, missing


def _of(corpus: Corpus, form: str) -> list[tuple[Path, Sample]]:
    return [(path, each) for path, each in corpus.samples.items() if each.form == form]


def _judged(path: Path, sample: Sample, running: dict[Peer, ReaderProcess]) -> Judgement:
    answers = {peer.title: process.read(path) for peer, process in running.items()}
    outcomes = {title: judged(answer, sample.places) for title, answer in answers.items()}
    errors = {title: answer["error"] for title, answer in answers.items() if answer.get("error")}
    for title, error in errors.items():
        print(f"{title} on {path.name}: {error[:200]}", flush=True)
    return Judgement(sample, outcomes, errors)


def _speeds(paths: list[Path], running: dict[Peer, ReaderProcess], rounds: int) -> dict[str, Speed]:
    """Read documents as often, once to warm up and once for the figure; of documents that can be read."""
    speeds = {}
    for peer, process in running.items():
        if not peer.timed or not rounds:
            continue
        for path in paths:
            process.read(path, rounds)
        answers = [process.read(path, rounds) for path in paths]
        good = [answer["cpu_s"] for answer in answers if not answer.get("error")]
        speeds[peer.title] = Speed(len(good) * rounds, sum(good))
    return speeds


def _writers(corpus: Corpus) -> str:
    """Return the writers with versions: LibreOffice, and libraries as they call themselves."""
    writers = (each.writer.partition(",")[0] for each in corpus.samples.values())
    named = (writer for writer in writers if writer[-1:].isdigit())
    return ", ".join(dict.fromkeys((converted.version() or "no LibreOffice", *named)))


def _options(arguments: list[str]) -> argparse.Namespace:
    parser = argparse.ArgumentParser(prog="python -m bench.formats", description=__doc__)
    parser.add_argument("--only", type=_names, default=FORMS, help=f"only these formats, of {','.join(FORMS)}")
    every = tuple(peer.name for peer in PEERS)
    parser.add_argument("--peers", type=_names, default=every, help=f"only these readers, of {','.join(every)}")
    parser.add_argument("--rounds", type=int, default=20, help="how often each is read for speed; 0 for no speed")
    parser.add_argument("--folder", type=Path, help="compare real documents instead, with the first of the readers")
    parser.add_argument("--out", type=Path, default=PAGE, help="where to write the tables")
    return parser.parse_args(arguments)


def _names(text: str) -> tuple[str, ...]:
    return tuple(text.split(","))


if __name__ == "__main__":
    sys.exit(main(sys.argv[1:]))
