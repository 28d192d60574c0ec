"""Suites that answer in JSON over HTTP: their records, faults, pages, limits of rate, and changes.

    record.py    JsonRecord: members of an object, whatever a server put there
    exchange.py  requests and answers of one question, written once for discovery and for visits
    client.py    ApiClient: requests of one server, and the meaning of its answers
    cursor.py    DeltaCursor: where the next discovery goes on
    numbered.py  records that are counted, like issues: all, or those that changed
    key_mark.py  the keys of a listing, and those that are gone since
    thread_page.py  a record with its comments as one page
    settings.py  ApiSettings: address, token, trusted authority
    source.py    ApiSource: changes since a cursor, or a complete listing where these do not suffice

Invariants: a token goes to the origin that the settings name and nowhere else; a discovery waits where a server asks
for it, and a visit is put off.
"""
