"""HTTP over kept connections, by libcurl on the event loop.

One request at a time over kept connections, through `egress`, with every protection against hostile servers:

        Request -> egress: Pinned -> easy handle -> libcurl on the loop -> collect -> Response | TransportError
                      |                                                       |
                      `-> status 974, 975, 984                       headers, coding: pure functions

Invariants: only what the caller requests is followed, stored or sent (no redirects, cookies, netrc or proxies of the
environment; a proxy, a certificate or an authority of one's own is part of the request: `connection_options`); every
request goes to an address that was judged for this request, also on a kept connection; the bytes, fields and seconds of
a response are limited; every failure of the other side ends as a value, never as an exception.
"""
