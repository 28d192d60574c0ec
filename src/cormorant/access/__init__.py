"""Tokens with their scopes, and the browser sessions that were opened with one.

A token has a scope: `search`, `operate` or `admin`. A request with a token may do what the scope allows; a request
without one may read public documents only. There are no users yet: a token says how much of the installation its bearer
administers, and not which documents they may read.

    made --value shown once--> kept as its hash --shown--> scope, used_at --deleted--> its sessions end with it
                                     `--typed into a browser--> session (cookie) --signed out, or too old--> gone

Invariants: the database, logs and pages never hold the value of a token or cookie; values are compared in constant
time; a session has no scope of its own, so a narrowed or deleted token takes effect with the next request.
"""
