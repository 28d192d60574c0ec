"""Receivers of documents, and replays of the stream."""
