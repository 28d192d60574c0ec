"""`cormorant serve`: web pages and crawl processes under one supervisor."""

from __future__ import annotations

from collections.abc import Iterator
from contextlib import contextmanager
from functools import partial
from typing import TYPE_CHECKING, Annotated

import typer

from cormorant.base.errors import ConflictError, Interrupted
from cormorant.cli import terminal
from cormorant.cli.invocation import copyable
from cormorant.cli.typer_apps import examples, new_app

if TYPE_CHECKING:
    from cormorant.app.build import BuildPlan
    from cormorant.app.processes.web import Listener, Reach
    from cormorant.cli.terminal import Terminal

app = new_app()

LOOK_S = 0.2

Port = Annotated[
    int | None, typer.Option("--port", metavar="N", min=0, max=65535, help="Port to listen on; 0 takes a free one.")
]


@app.command(
    epilog=examples(
        "cormorant serve",
        "cormorant serve --port 9000",
        "cormorant serve --host 0.0.0.0 --name search.example.org",
        "cormorant serve --name search.example.org --proxy 127.0.0.1",
    )
)
def serve(
    context: typer.Context,
    host: Annotated[
        str | None,
        typer.Option(
            "--host", metavar="H", help="Address to listen on; 0.0.0.0 stands for every address of this machine."
        ),
    ] = None,
    port: Port = None,
    names: Annotated[
        list[str] | None,
        typer.Option(
            "--name",
            metavar="NAME",
            help="A host name to answer to, besides the name and addresses of this machine; may be repeated.",
        ),
    ] = None,
    proxies: Annotated[
        list[str] | None,
        typer.Option(
            "--proxy",
            metavar="ADDRESS",
            help=(
                "A proxy, or a network of proxies, whose X-Forwarded-For and -Proto headers are trusted; may be "
                "repeated."
            ),
        ),
    ] = None,
    private: Annotated[bool, typer.Option("--private", help="Ask for a token before each search, too.")] = False,
) -> None:
    """Serve the search page, and run the crawls that other commands order.

    Ctrl-C ends it with exit code 130, SIGTERM with 0. Only this machine reaches the page, unless --host, --name or
    --proxy says otherwise. Then everyone may search, and read cached copies, of documents for everyone; everything else
    needs a token of the right scope. The first start shows a token for everything; `cormorant token` makes others.
    """
    from cormorant.app.processes import web

    say = terminal.of(context)
    plan = say.plan()
    with stopped(say):
        reach = web.reach_of(plan, host, port, names=names or (), proxies=proxies or (), private=private)
        listener = listening(say, plan, reach)
        with say.house(new=True):
            pass
        until_stopped(say, plan, listener, reach)


def listening(say: Terminal, plan: BuildPlan, reach: Reach) -> Listener:
    """Bind the port, or the next free one if the port was not chosen; prints that. Raises ConflictError."""
    from cormorant.app.processes import web

    listener = web.bind(reach, plan)
    if said := web.moved(listener, reach):
        say.warn(said)
    return listener


@contextmanager
def stopped(say: Terminal) -> Iterator[None]:
    """End a block on a signal: SIGTERM is a normal end, other signals raise Interrupted."""
    from cormorant.app.processes.signals import was_terminated

    try:
        yield
    except KeyboardInterrupt as asked:
        if not was_terminated(asked):
            raise Interrupted(_stopped(say)) from None
        say.note(_stopped(say))


def _stopped(say: Terminal) -> str:
    return f"Stopped. All data is kept; `{copyable(say.asked, 'serve')}` continues."


def until_stopped(say: Terminal, plan: BuildPlan, listener: Listener, reach: Reach) -> None:
    """Serve until SIGTERM, or Ctrl-C: raises Interrupted then.

    Raises ConflictError if another process owns the data folder.
    """
    from cormorant.app.data_dir import note_port
    from cormorant.app.processes import web
    from cormorant.app.processes.session import running
    from cormorant.base.clock import pause

    plan = web.with_port(plan, listener)
    with stopped(say), running(plan, web=partial(web.serve, plan, listener, reach)) as processes:
        if not processes.owner:
            raise ConflictError(
                f"Another crawl or `serve` is running on {plan.folder}. Wait until it ends, or stop it."
            )
        address = web.shown_address(listener, reach)
        note_port(plan.folder, listener.getsockname()[1])
        listener.close()
        _announce(say, address, _first_token(say) if reach.is_beyond else None, private=reach.private)
        if reach.is_beyond and not reach.private:
            _warn(say)
        while True:
            processes.look(plan.folder / "logs", "Everything is kept.")
            pause(LOOK_S)


def _first_token(say: Terminal) -> str | None:
    """The first token, created once; only as the owner of the folder, since a command beside an owner prints none."""
    from cormorant.operate.system import tokens

    with say.house() as house:
        return tokens.first(house)


def _warn(say: Terminal) -> None:
    """Warn of sources whose documents other users can now find although the source required a login."""
    from cormorant.operate.sources import sources

    with say.house() as house:
        names = sources.opened(house)
    if names:
        say.warn(
            "Warning: everyone who reaches this page finds the documents that were crawled with a login: "
            f"{', '.join(names)}. `cormorant source edit NAME --set grants=group:NAME` hides them, --private asks "
            "every reader for a token."
        )


def _announce(say: Terminal, address: str, first: str | None, *, private: bool) -> None:
    """Print the address of the page, and the first token, which is never shown again."""
    import sys

    if say.json:
        say.record({"address": address} | ({"token": first} if first else {}))
    else:
        say.print(f"Search page: {address}  (Ctrl-C ends it)")
        if first:
            say.print(f"First token: {first}")
            others = "nobody may search without a token" if private else "others may search what is for everyone"
            say.print(f"Save it now: it is not shown again. Anyone who holds it may do everything here; {others}.")
    sys.stdout.flush()
