"""The stream of documents and everything that reads it.

Whatever a crawl finds is appended to one stream, in order; every receiver reads it at its own pace, and its place in
the stream is how far it has confirmed.

    settled visit --append--> stream --batch--> receive() --> refusals noted, place moved on
                                ^                  |
                                `---- killed, or receive() raised: the same batch again

The rooms: `protocol` (what every receiver does), `stream` (the rows), and a file a kind: `jsonlines`,
`warc`, `webhook`, `opensearch` with the words of its API in `bulk_api`, `python`. `http_sender` is the way to a server.

Invariants: a receiver sees events in the order of their numbers; it is told at least once, and never of an event whose
visit was not committed; a place only moves on after `receive` returned; what a receiver raises stops its own deliveries
and nothing else.
"""
