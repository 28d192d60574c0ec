"""Wiring: how the parts become processes.

    environment, config file -> Installation -> House (folder, store, cache, index) -> commands
                                     `-> supervisor -> conductor, provider, retrievers, web

Invariants: only `settings` reads the environment; only `build` wires; a process opens its own store after it was
forked; nothing below this package imports it.
"""
