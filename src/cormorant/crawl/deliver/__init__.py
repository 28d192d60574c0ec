"""Delivery of documents from the stream to receivers, the search index among them.

Start with `loop`. A receiver confirms its place in the stream, so a crash repeats a delivery and loses none.
"""
