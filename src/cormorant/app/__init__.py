"""Wiring: how the parts become processes.

    environment, config file -> Installation -> House (folder, store, cache, index) -> commands
                                     `-> supervisor -> conductor, provider, retrievers, web

Invariants: only `settings` reads the environment; only `build` wires; each process opens its own store after the
fork; no package below imports this one.
"""
