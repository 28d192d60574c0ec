"""Web sites: one kind of source.

    start addresses -> follow gate -> (robots.txt of the origin) -> GET, conditional -> Content or an outcome

A web source is SEEDS: what nothing links to may still be there. `filters` rule, `robots` reads RFC 9309, `response`
turns an HTTP answer into an outcome, `source` joins them.

Invariants: every hop of a redirect passes egress and robots; a 301 or 308 ends the visit, its target is judged on its
own; no request is conditional unless the copy it would confirm is in use.
"""
