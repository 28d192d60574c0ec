"""The one tree of errors. People see the message; programs see `code`.

    CormorantError
    ├── UsageError            exit 2   the command or a setting is wrong
    │   ├── TooLarge                   more was sent than anything here takes
    │   ├── BadSetting                 a name or value a settings class does not take
    │   ├── BadRule                    a boundary rule that cannot be parsed
    │   ├── BadAddress                 not an address this kind of source understands
    │   └── QueryFailed                a search that the index cannot answer as it is
    ├── NotFoundError         exit 4   no such source, run, document, receiver
    │   └── NotShown                   a document that asks not to be shown here
    ├── Incomplete            exit 3   done, and something of it is not as it should be
    ├── ConflictError         exit 1   exists already, or is in a state that does not allow it
    ├── NotPermitted          exit 5   the operating system or an access rule says no
    │   └── ScopeTooNarrow             the token that was shown has not the scope that this needs
    ├── NotSignedIn           exit 5   a token is needed, and none, or an unknown one, was shown
    ├── TooManyTries          exit 5   too many wrong tokens from one place
    ├── Unreachable           exit 6   a server or database does not answer
    │   └── LoginRefused               the server of a source refuses its login; it is not tried again by itself
    ├── Busy                  exit 6   more is asked at once than can be answered
    ├── DataFolderError       exit 1   the data folder cannot be used as it is
    │   └── NoRoom                     a disk is full; it goes on when there is room
    ├── TooManyFiles          exit 1   more files are open than may be; it goes on when there are fewer
    ├── SecretSealed         exit 1   a secret cannot be opened: its key is missing, or another one
    ├── StoreError            exit 1   the database said something we cannot go on with
    ├── PluginUnusable        exit 1   what an installed package adds cannot be loaded
    ├── IndexDamaged          exit 1   the index cannot be opened or read
    ├── CacheDamaged          exit 1   a kept copy does not match its checksum
    ├── ArchiveDamaged        exit 1   a backup or an export is cut short, changed or of a newer version
    └── Interrupted           exit 130 a person stopped it; state is kept

Outcomes of a visit are values (`model.outcome`), never exceptions. Exceptions are for misuse, our own infrastructure
and bugs.
"""

from __future__ import annotations

from collections.abc import Mapping
from typing import ClassVar, Final

EXPLAINED = "/help/errors"
"""The page that explains every code."""
_OF_THE_SERVER: Final = {500: "The server itself met it, so that the answer tells a `reference` into logs/web.log."}


class CormorantError(Exception):
    """Something went wrong. The message says in one sentence what happened, why, and what to do.

    `more` has further fields for programs.
    """

    code: ClassVar[str] = "error"
    exit_code: ClassVar[int] = 1
    http_status: ClassVar[int] = 500
    also: ClassVar[Mapping[int, str]] = {}
    """Other HTTP statuses of this very code, and when they occur; those of a parent class are not inherited."""

    def __init__(self, sentence: str, **more: object) -> None:
        super().__init__(sentence)
        self.sentence = sentence
        self.more = more

    @classmethod
    def meaning(cls) -> str:
        """Return the meaning of the error code in one or two sentences."""
        return " ".join((cls.__doc__ or cls.code).split("\n\n", 1)[0].split())

    @classmethod
    def statuses(cls) -> dict[int, str]:
        """Every status of the code, each with the case in which it differs from the first."""
        return {cls.http_status: "", **vars(cls).get("also", {})}

    def as_problem(self, status: int | None = None) -> dict[str, object]:
        """Return the RFC 9457 problem object that `--json` and the REST interface both show.

        `type` is the address that explains the code on every search page, as docs/reference/errors.md does. `status` is
        one of `also`; else the first.
        """
        return {
            "type": f"{EXPLAINED}#{self.code}",
            "title": self.meaning().split(".", 1)[0],
            "status": status or self.http_status,
            "code": self.code,
            "detail": self.sentence,
            **self.more,
        }


def every(root: type[CormorantError] = CormorantError) -> list[type[CormorantError]]:
    """The errors of the tree above, in its order. Errors of other modules never leave the callers of these modules."""
    own = [child for child in root.__subclasses__() if child.__module__ == __name__]
    return [root, *(each for child in own for each in every(child))]


def coded(code: str | None) -> type[CormorantError]:
    """The error class of a code; the root of the tree for an unknown one."""
    return next((each for each in every() if each.code == code), CormorantError)


class UsageError(CormorantError):
    """The command, or what was given to it, is wrong. Look at `--help` for the form it takes."""

    code = "usage"
    exit_code = 2
    http_status = 400
    also: ClassVar[Mapping[int, str]] = {
        405: "The address does not take this method.",
        421: "The server does not answer for this host.",
        422: "The request body is no JSON object, has an unknown field, lacks a value, or has a wrong value.",
    }


class BadSetting(UsageError):
    """A setting of a source, a receiver or a schedule has a name that there is not, or a value that it cannot have."""

    code = "bad_setting"
    http_status = 422


class BadRule(UsageError):
    """A boundary rule cannot be read. The message shows the place."""

    code = "bad_rule"
    http_status = 422


class BadAddress(UsageError):
    """This is not an address that can be visited."""

    code = "bad_address"
    http_status = 422


class QueryFailed(UsageError):
    """The index cannot answer this search as it is, though it is whole. Ask with fewer or plainer words."""

    code = "query_failed"
    http_status = 422


class TooLarge(UsageError):
    """The request body is too large."""

    code = "too_large"
    http_status = 413


class NotFoundError(CormorantError):
    """There is nothing of that name."""

    code = "not_found"
    exit_code = 4
    http_status = 404


class NotShown(NotFoundError):
    """The document asks not to be shown here. Open it where it is."""

    code = "not_shown"


class Incomplete(CormorantError):
    """It was done, and not all of it went well: documents failed, or a run is held, was stopped or waits.

    Commands tell programs so on standard error. No answer over HTTP has it.
    """

    code = "incomplete"
    exit_code = 3


class ConflictError(CormorantError):
    """The request conflicts with the current state."""

    code = "conflict"
    http_status = 409


class NotPermitted(CormorantError):
    """Permission was denied."""

    code = "not_permitted"
    exit_code = 5
    http_status = 403
    also: ClassVar[Mapping[int, str]] = _OF_THE_SERVER


class ScopeTooNarrow(NotPermitted):
    """The scope of the token does not reach this far. Use a token of the scope that `scope_needed` names."""

    code = "insufficient_scope"


class NotSignedIn(CormorantError):
    """A token is needed."""

    code = "not_signed_in"
    exit_code = 5
    http_status = 401


class TooManyTries(CormorantError):
    """There were too many wrong tokens in a short time."""

    code = "too_many_tries"
    exit_code = 5
    http_status = 429


class Unreachable(CormorantError):
    """A server or database could not be reached."""

    code = "unreachable"
    exit_code = 6
    http_status = 503


class LoginRefused(Unreachable):
    """The server of a source refuses its user name or its password.

    It is tried again once the settings or the secret are changed, or by a crawl with --force: more attempts could lock
    the account.
    """

    code = "login_refused"


class Busy(CormorantError):
    """More is asked at once than can be answered. Ask again in a moment."""

    code = "busy"
    exit_code = 6
    http_status = 503


class DataFolderError(CormorantError):
    """The data folder cannot be used as it is."""

    code = "data_folder"


class NoRoom(DataFolderError):
    """A disk is full. Nothing is lost; free some space, and what is at work goes on by itself."""

    code = "disk_full"
    http_status = 503


class TooManyFiles(CormorantError):
    """More files are open than may be. Raise the limit that the message names; what is at work goes on by itself."""

    code = "open_files"
    http_status = 503


class SecretSealed(CormorantError):
    """A secret cannot be opened, since the key that seals it is missing or another one."""

    code = "secret_sealed"


class StoreError(CormorantError):
    """The database refused something that the product relies on."""

    code = "store"


class PluginUnusable(CormorantError):
    """A plug-in of an installed package cannot be used. Mend or uninstall the package; all others work without it."""

    code = "plugin_unusable"


class IndexDamaged(CormorantError):
    """The index cannot be read. `cormorant index rebuild` rebuilds it from the kept copies, without a source."""

    code = "index_damaged"
    http_status = 503


class CacheDamaged(CormorantError):
    """A kept copy does not match its checksum, so it is not shown. The next crawl keeps a fresh one."""

    code = "cache_damaged"
    http_status = 404
    also: ClassVar[Mapping[int, str]] = _OF_THE_SERVER


class ArchiveDamaged(CormorantError):
    """A backup or an export is not whole: it was cut short or changed. Nothing of it was taken; use another one."""

    code = "archive_damaged"


class Interrupted(CormorantError):
    """The work was interrupted; what was done so far is kept."""

    code = "interrupted"
    exit_code = 130
