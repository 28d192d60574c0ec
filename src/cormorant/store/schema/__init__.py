"""Tables of the database.

    catalog   source, former_source, parameters, receiver, secret, consent, tuning, takedown,
              attribute, attribute_value: rows of administrators
    frontier  site, site_source, resource, site_fact, site_hour, claim
    documents content, original, version, hidden, withdrawn, outlinks, inlinks, near, near_band, reader
                                                  contents of resources
    journal   run, run_count, visit, exclusion, tombstone, query, click   events of the past
    stream    stream, stream_head, faulty       deliveries in order; rejected deliveries
    items     item, item_piece, item_mark     items that were pushed, or read from feeds
    nodes     process                           running processes
    access    token, session                    rights beyond reading
    schedules schedule, launch                scheduled crawls, planned and past

This package defines every table. Times are epoch seconds (REAL), sizes bytes.
"""

from cormorant.store.schema.access import session, token
from cormorant.store.schema.catalog import (
    acl,
    attribute,
    attribute_value,
    consent,
    former_source,
    parameters,
    receiver,
    secret,
    source,
    takedown,
    tuning,
)
from cormorant.store.schema.documents import (
    content,
    hidden,
    inlinks,
    near,
    near_band,
    original,
    outlinks,
    reader,
    version,
    withdrawn,
)
from cormorant.store.schema.frontier import claim, resource, site, site_fact, site_hour, site_source
from cormorant.store.schema.items import item, item_mark, item_piece
from cormorant.store.schema.journal import click, exclusion, query, run, run_count, tombstone, visit
from cormorant.store.schema.metadata import SCHEMA_VERSION, metadata
from cormorant.store.schema.nodes import process
from cormorant.store.schema.schedules import launch, schedule
from cormorant.store.schema.stream import faulty, stream, stream_head

__all__ = [
    "SCHEMA_VERSION",
    "acl",
    "attribute",
    "attribute_value",
    "claim",
    "click",
    "consent",
    "content",
    "exclusion",
    "faulty",
    "former_source",
    "hidden",
    "inlinks",
    "item",
    "item_mark",
    "item_piece",
    "launch",
    "metadata",
    "near",
    "near_band",
    "original",
    "outlinks",
    "parameters",
    "process",
    "query",
    "reader",
    "receiver",
    "resource",
    "run",
    "run_count",
    "schedule",
    "secret",
    "session",
    "site",
    "site_fact",
    "site_hour",
    "site_source",
    "source",
    "stream",
    "stream_head",
    "takedown",
    "token",
    "tombstone",
    "tuning",
    "version",
    "visit",
    "withdrawn",
]
