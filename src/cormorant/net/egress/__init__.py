"""The guard of every outbound connection.

The only way out. A name is resolved once, every address of the answer is judged, and what may be connected to is pinned
to the addresses that were judged:

    host, port, Consent -> resolve -> judge every address -> Pinned --> connect --> veto at the socket
                              |              |
                              `-> Unresolved `-> Refused, Unsettled    (resolve, policy, gate)

Private networks are what the product is bought for, so what is allowed is said by each source (`policy.Consent`).

Invariants: metadata services, link-local and multicast addresses and our own ports are never connected to, whoever
consents; one refused address refuses the whole answer; a connection goes to an address that was judged, never to a
name; what a named host was at first is settled for all processes before any connects to it; all refusals look alike
(one rule, one status), so that they tell nothing about the network behind.
"""
