"""Commands of the terminal, and the boundary at which errors become sentences.

    argv --options--> global options + the rest --commands--> one module of this package --operate, app--> exit code
                                                                    `-- an error: one sentence, or a problem object

Data goes to standard output, everything else to standard error. A command's module is imported when that command is
asked for, so that `--help` costs next to nothing.

Invariants: nothing here opens a transaction or decides anything; a traceback is shown with -vv only; every command's
help has an example, and a test runs it.
"""

from __future__ import annotations


def main() -> None:
    """Carry out what the command line says and end the process with its exit code."""
    import sys
    from contextlib import suppress

    from cormorant.base.errors import Interrupted
    from cormorant.cli.options import verbosity
    from cormorant.cli.signals import Interruption

    interruption, code = Interruption(), Interrupted.exit_code
    with suppress(KeyboardInterrupt):  # while this is loaded, or by who insists while an interruption is told
        interruption.listen(tell_all=verbosity(sys.argv[1:]) >= 2)
        from cormorant.cli.error_boundary import run

        code = run(sys.argv[1:])
    interruption.end(code)
