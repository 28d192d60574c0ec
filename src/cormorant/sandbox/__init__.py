"""A process for each hostile document, in which a converter can only compute.

Converters for PDF and office documents are native code that reads untrusted input. Each document gets a process of
its own that can only compute, read libraries and fonts, and answer once:

    starter ──start_server──> fork server ──fork──> child: own session, dies with the server
       │                       loads the                │  rlimits, Landlock, seccomp
       └─fork─> retriever      converters once          │  reads its document
                  │                │                    │  runs one function of bytes to bytes
               ChildPool ──────────┴── one connection ──┤  answer first,
                  │                                     └─ then leaves at once
                  └─ hangs up: the server kills the child
                  <─ Finished | Failed | Killed

Useful for: running code on bytes that may be hostile. Not useful for: programs that need network or files.

Invariants

- The document enters the process only after all restrictions are in force, and none of them can be lifted.
- A task is one of those named when the server was started; no other code can be requested.
- The child's answer is judged by its frame: a crash after it does not matter, a value without it is never accepted.
- No length that a child states is trusted before it is compared with the limit.
- A child never outlives its client's interest, its server or its server's parent.
- The server has one thread, and none of its parent's environment.
- A restriction that this machine does not support is skipped and reported by `supported()`; it never stops the work.
- The server loads only modules that its children need: the client, with its event loop, is a module of its own.

Cost, on one core of a small virtual machine: a trivial task 3.1 ms from the call to the reaping of the child, 3.7 ms
with the converters for PDF and office documents loaded (most of it fork and the pages it copies); 2.1 and 2.4 ms each,
two at a time. A document of 10 MiB adds 7 ms, one of 64 MiB 45 ms, an answer of 20 MB 20 ms; both are sent in pieces,
so the event loop goes on meanwhile.
"""

from __future__ import annotations

from cormorant.sandbox.errors import LimitsError, PayloadTooBig, ServerGone, ServerNotStarted
from cormorant.sandbox.launcher import ServerHandle, start_server
from cormorant.sandbox.limits import PAYLOAD_MAX_BYTES, Allowed, Limits
from cormorant.sandbox.probe import supported
from cormorant.sandbox.result import Answer, Finished, Killed, KillReason, TaskFailed

__all__ = [
    "PAYLOAD_MAX_BYTES",
    "Allowed",
    "Answer",
    "Finished",
    "KillReason",
    "Killed",
    "Limits",
    "LimitsError",
    "PayloadTooBig",
    "ServerGone",
    "ServerHandle",
    "ServerNotStarted",
    "TaskFailed",
    "start_server",
    "supported",
]
