"""Tokens with their scopes, and the browser sessions that were opened with one.

A token has a scope, `search`, `operate` or `admin`, and whoever shows it may do what the scope says; whoever shows none
may read what is for everyone. There are no users yet, so a token says how much of this installation its bearer looks
after, and not which documents they may read.

    made --value shown once--> kept as its hash --shown--> scope, used_at --deleted--> its sessions end with it
                                     `--typed into a browser--> session (cookie) --signed out, or too old--> gone

Invariants: no value that opens anything is ever in the database, a log or a page; values are compared in constant time;
a session has no scope of its own, so that a token which is narrowed or deleted opens no more from the next request on.
"""
