"""Search servers that are asked at search time, with the query of the reader.

    settings.py      FederatedSettings: the address, the token, which queries are sent
    query_route.py   QueryRoute: the queries that are for this server
    description.py   the OpenSearch description of a server, and the addresses its templates make
    answer.py        results in a feed, in JSON Feed, or as another Cormorant writes them
    source.py        FederatedSource: asks at the pace of the settings

Invariants: a crawl finds nothing here; the token goes to the origin of the settings only; a query that was to go over
https never goes over http.
"""
