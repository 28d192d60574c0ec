"""Who is asking?

Whoever shows a token may do everything, whoever shows none may read what is for everyone. There are no users yet, so a
token says that somebody looks after this installation, and not which documents they may read.

    made --value shown once--> kept as its hash --shown--> known, used_at --deleted--> its sessions end with it
                                     `--typed into a browser--> session (cookie) --signed out, or too old--> gone

Invariants: no value that opens anything is ever in the database, a log or a page; values are compared in constant time;
what was deleted opens nothing from the next request on.
"""
