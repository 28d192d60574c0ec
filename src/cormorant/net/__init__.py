"""Connections to other machines.

    egress   where a connection may go
    http     one HTTP request at a time, over connections that are kept

Invariant: no other package opens a connection to a server that documents come from.
"""
