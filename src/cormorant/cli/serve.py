"""`cormorant serve`: web pages and crawl processes under one supervisor."""

from __future__ import annotations

from functools import partial
from typing import TYPE_CHECKING, Annotated

import typer

from cormorant.base.errors import ConflictError, CormorantError, Interrupted
from cormorant.cli import terminal
from cormorant.cli.calling import examples, new_app

if TYPE_CHECKING:
    from cormorant.app.build import Plan
    from cormorant.app.web import Listener
    from cormorant.cli.terminal import Terminal

app = new_app()

LOOK_S = 0.2

Port = Annotated[
    int | None, typer.Option("--port", metavar="N", min=0, max=65535, help="Port to listen on; 0 takes a free one.")
]


@app.command(epilog=examples("cormorant serve", "cormorant serve --port 9000"))
def serve(
    context: typer.Context,
    host: Annotated[
        str | None, typer.Option("--host", metavar="H", help="Address to listen on, of this machine only.")
    ] = None,
    port: Port = None,
) -> None:
    """Serve the search page, and crawl what other commands ask for. Ctrl-C ends it."""
    from cormorant.app import web

    say = terminal.of(context)
    plan = say.plan()
    listener = web.bind(*web.address_of(plan, host, port))
    with say.house(new=True):
        pass
    until_stopped(say, plan, listener)


def until_stopped(say: Terminal, plan: Plan, listener: Listener) -> None:
    """Serve until Ctrl-C or SIGTERM. Raises Interrupted then, ConflictError when somebody else owns the data folder."""
    from cormorant.app import web
    from cormorant.app.session import running
    from cormorant.base.clock import pause

    plan = web.with_port(plan, listener)
    address = web.shown_address(listener)
    try:
        with running(plan, web=partial(web.serve, plan, listener)) as processes:
            if not processes.owner:
                raise ConflictError(
                    f"Another crawl or `serve` is at work on {plan.folder}. Wait until it ends, or stop it."
                )
            listener.close()
            _announce(say, address)
            while processes.alive():
                pause(LOOK_S)
    except KeyboardInterrupt:
        raise Interrupted("Stopped. Everything is kept; `cormorant serve` goes on.") from None
    raise CormorantError(
        f"The processes ended unexpectedly. What they said last is in {plan.folder / 'logs'}; everything is kept."
    )


def _announce(say: Terminal, address: str) -> None:
    import sys

    if say.json:
        say.record({"address": address})
    else:
        say.print(f"Search page: {address}  (Ctrl-C ends it)")
    sys.stdout.flush()
