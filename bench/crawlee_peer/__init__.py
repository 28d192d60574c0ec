"""What is the second peer in Python, and how is it set up?

Crawlee with its HTTP crawler and the settings of its guide on scaling (:mod:`bench.crawlee_peer.__main__`), run as
``python -m bench.crawlee_peer OUTPUT START...``.
"""
