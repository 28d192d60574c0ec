"""HTTP over connections that are kept, by libcurl on the event loop.

One GET at a time over connections that are kept, through `egress`, with every promise about a hostile server kept here:

    Request -> egress: Pinned -> easy handle -> libcurl on the loop -> collect -> Answer | Fault
                  |                                                       |
                  `-> Fault 974, 975, 984                        headers, coding: pure functions

Invariants: nothing is followed, stored or sent that the caller did not ask for (no redirects, cookies, netrc or
proxies of the environment; a proxy, a certificate or an authority of one's own is part of the request:
`connection_options`); every request goes to an address that was judged for that very request, also on a connection
that was open already; what one answer may take in bytes, fields and seconds is bounded; whatever the other side does
ends as a value, never as an exception.
"""
