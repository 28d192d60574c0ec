"""Asks an installation why addresses are in the index, in one process, and prints the seconds of each question.

python -m bench.asking DATA ADDRESS...
"""

from __future__ import annotations

import sys
import time

from cormorant import Cormorant


def main() -> None:
    """Ask the first one twice; its first answer, with which everything is loaded, is not timed."""
    data, *addresses = sys.argv[1:]
    with Cormorant.open(data) as crawler:
        crawler.explain(addresses[0])
        for address in addresses:
            began = time.perf_counter()
            crawler.explain(address)
            sys.stdout.write(f"{time.perf_counter() - began:.5f}\n")


if __name__ == "__main__":
    main()
