"""`python -m cormorant.app.sample [--port N]` serves the sample site until Ctrl-C, with a line for every request."""

from __future__ import annotations

import argparse
import asyncio
import sys

from cormorant.app.sample.site import HOST, SampleRequest, serve
from cormorant.base.clock import SystemClock


async def child(port: int) -> None:
    """Serve for a `SampleSite`: writes the port to standard output, and ends at the end of standard input."""
    ended = asyncio.Event()
    asyncio.get_running_loop().add_reader(0, ended.set)
    site = asyncio.create_task(serve(port, _print_port, _note, SystemClock()))
    waiting = asyncio.create_task(ended.wait())
    done, _ = await asyncio.wait((site, waiting), return_when=asyncio.FIRST_COMPLETED)
    waiting.cancel()
    if site in done:
        site.result()  # raises the error of binding the port
    site.cancel()


def _print_port(port: int) -> None:
    sys.stdout.write(f"{port}\n")
    sys.stdout.flush()


def _print_address(port: int) -> None:
    sys.stdout.write(f"The sample site is at http://{HOST}:{port}/ until you press Ctrl-C.\n")
    sys.stdout.flush()


def _note(access: SampleRequest) -> None:
    sys.stderr.write(f"{access.method} {access.target} {access.status}\n")
    sys.stderr.flush()


def main() -> int:
    """Read the arguments and serve."""
    parser = argparse.ArgumentParser(prog="python -m cormorant.app.sample", description="Serve the sample site.")
    parser.add_argument("--port", type=int, default=0, help="where to listen on 127.0.0.1 (default: any free port)")
    parser.add_argument("--child", type=int, metavar="PORT", help=argparse.SUPPRESS)
    asked = parser.parse_args()
    try:
        if asked.child is not None:
            asyncio.run(child(asked.child))
        else:
            asyncio.run(serve(asked.port, _print_address, _note, SystemClock()))
    except KeyboardInterrupt:
        return 130
    except OSError as error:
        sys.stderr.write(f"Port {asked.port if asked.child is None else asked.child} cannot be had: {error.strerror}\n")
        return 1
    return 0


if __name__ == "__main__":
    sys.exit(main())
