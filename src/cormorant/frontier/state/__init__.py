"""Rows of URLs and hosts: their insertion, their known facts, and the writing of visits.

Useful for: reading and writing the state of a URL. Not useful for: deciding it (policy).
"""
