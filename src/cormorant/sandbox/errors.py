"""Errors of the fork server itself; an error inside a child process is a value (`answer`).

CormorantError
└── LimitsError
    ├── ServerNotStarted    it could not be started, or a task is not importable
        ├── ServerGone          it died; its owner restarts it, the visit is repeated
        └── PayloadTooBig       the document is larger than any child may get
"""

from __future__ import annotations

from cormorant.base.errors import CormorantError


class LimitsError(CormorantError):
    """The process that runs converters apart cannot be used."""

    code = "limits"


class ServerNotStarted(LimitsError):
    """The process that runs converters apart could not be started."""

    code = "limits_not_started"


class ServerGone(LimitsError):
    """The process that runs converters apart has died. It is started again; what it was doing is repeated."""

    code = "limits_server_gone"
    http_status = 503


class PayloadTooBig(LimitsError):
    """A document is larger than any setting allows."""

    code = "limits_payload"
    http_status = 413
