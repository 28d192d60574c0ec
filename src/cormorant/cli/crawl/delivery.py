"""`cormorant provider`: pause and resume deliveries."""

from __future__ import annotations

import typer

from cormorant.cli import terminal
from cormorant.cli.typer_apps import examples, new_app

app = new_app("Deliveries to the index and all receivers: pause, resume. Crawls continue meanwhile.", group=True)


@app.command(epilog=examples("cormorant provider pause"))
def pause(context: typer.Context) -> None:
    """Pause deliveries. New documents wait, and search does not find them until deliveries resume."""
    _set(terminal.of(context), paused=True)


@app.command(epilog=examples("cormorant provider resume"))
def resume(context: typer.Context) -> None:
    """Resume deliveries where they stopped; receivers that failed are tried at once."""
    _set(terminal.of(context), paused=False)


def _set(say: terminal.Terminal, *, paused: bool) -> None:
    from cormorant.app import data_dir
    from cormorant.operate.delivery import receivers

    with say.house() as house:
        receivers.set_paused(house, paused=paused)
    if say.json:
        say.record({"paused": paused})
    elif paused:
        say.note("Deliveries are paused; `cormorant provider resume` resumes them.")
    elif data_dir.is_free(say.plan().folder):
        say.note("Nothing is running now. The next crawl, or `cormorant serve`, makes the deliveries.")
    else:
        say.note("Deliveries go on.")
