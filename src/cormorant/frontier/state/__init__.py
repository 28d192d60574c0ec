"""Rows of URLs and hosts: how they are added, what is known of them, and how a visit is written down.

Useful for: reading and writing the state of a URL. Not useful for: deciding it (policy).
"""
