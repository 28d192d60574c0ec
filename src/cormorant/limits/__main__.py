"""The process apart: `python -P -m cormorant.limits CONFIG` is the fork server, without CONFIG it prints `Allowed`."""

from __future__ import annotations

import sys

import msgspec

from cormorant.limits import probe, server

if __name__ == "__main__":
    if len(sys.argv) > 1:
        server.main(sys.argv[1])
    else:
        sys.stdout.buffer.write(msgspec.json.encode(probe.try_everything()))
