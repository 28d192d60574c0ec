"""Commands of the terminal, and the boundary at which errors become sentences.

    argv --options--> global options + the rest --commands--> one module of this package --operate, app--> exit code
                                                                    `-- an error: one sentence, or a problem object

Data goes to standard output, messages to standard error. A command's module is imported only for that command, so that
`--help` is quick.

Invariants: no module here opens a transaction or makes decisions; a traceback is shown with -vv only; every command's
help has an example, and a test runs it.
"""

from __future__ import annotations


def main() -> None:
    """Carry out the command line and end the process with its exit code."""
    import sys
    from contextlib import suppress

    from cormorant.base.errors import Interrupted
    from cormorant.cli.options import verbosity
    from cormorant.cli.signals import Interruption

    interruption, code = Interruption(), Interrupted.exit_code
    with suppress(KeyboardInterrupt):  # raised while modules load, or by a second signal during the first one's message
        interruption.listen(log_all=verbosity(sys.argv[1:]) >= 2)
        from cormorant.cli.error_boundary import run

        code = run(sys.argv[1:])
    interruption.end(code)
