"""Programs as sources: a process in any language names documents and hands them over, as lines of JSON.

    ProgramSource.discover --> ProgramSession --> ProgramProcess --keeper--> the administrator's program
                    .fetch --> a pool of them         one line of JSON a message, in both directions

The protocol is described in `docs/reference/program-protocol.md`; `messages.py` has its messages. Invariants: whatever
the program does costs time, memory and lines within limits; a listing that does not end with its end marker deletes
nothing; secrets go through standard input and nowhere else.
"""
