"""Guard of all outbound connections; there is no other way out.

A name is resolved once, every address of the answer is judged, and the connection is pinned to the judged
addresses:

    host, port, Consent -> resolve -> judge every address -> Pinned --> connect --> veto at the socket
                              |              |
                              `-> Unresolved `-> Refused, Unsettled    (resolve, policy, gate)

The product is used in private networks, so each source declares which networks it may reach (`policy.Consent`).

Invariants: metadata services, link-local and multicast addresses and our own ports are never connected to, whatever a
source consents to; one refused address refuses the whole answer; a connection goes to a judged address, never to a
name; the first address classes of a named host are settled for all processes before any connects to it; all refusals
look alike (one rule, one status), so that they reveal nothing about the network behind.
"""
