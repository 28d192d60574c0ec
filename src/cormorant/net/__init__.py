"""Connections to other machines.

    egress   where a connection may go
        http     one HTTP request at a time, over kept connections

Invariant: no other package opens a connection to a server of documents.
"""
