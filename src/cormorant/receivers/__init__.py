"""The stream of documents and everything that reads it.

A crawl appends its events to one stream, in order. Every receiver reads the stream at its own pace; its place is the
number of the last event that it confirmed.

    settled visit --append--> stream --batch--> receive() --> refusals noted, place moved on
                                ^                  |
                                `---- killed, or receive() raised: the same batch again

Modules: `protocol` (the interface of receivers), `stream` (the rows), and one for each kind: `jsonlines`, `warc`,
`webhook`, `opensearch` with the words of its API in `bulk_api`, `python`. `http_sender` sends requests to a server.

Invariants: a receiver gets events in the order of their numbers, each at least once, and never an event whose visit was
not committed; a place moves on only after `receive` returned; an exception of a receiver stops its own deliveries and
nothing else.
"""
