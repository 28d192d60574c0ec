"""Kinds of sources, behind one protocol.

One folder a kind of source, all behind one protocol:

    Source.discover() -> Found, Found, Removal ...   seeds, a complete listing, or changes since a cursor
    Source.gates      -> Ruling                      may we follow, visit, index?
    Source.fetch()    -> Content, or an outcome      one resource, once

Invariants: a kind never imports another; what a kind's discovery proves is one word (SEEDS, LISTING, FEED) and
everything that follows from it happens in `crawl`, never here; clients of outside systems live in a kind's `wire.py` or
in `fetch`, and every connection goes through `egress`.
"""
