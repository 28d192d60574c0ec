"""Separate process: `python -P -m cormorant.sandbox CONFIG` is the fork server; without CONFIG it prints `Allowed`."""

from __future__ import annotations

import sys

import msgspec

from cormorant.sandbox import fork_server, probe

if __name__ == "__main__":
    if len(sys.argv) > 1:
        fork_server.main(sys.argv[1])
    else:
        sys.stdout.buffer.write(msgspec.json.encode(probe.try_everything()))
