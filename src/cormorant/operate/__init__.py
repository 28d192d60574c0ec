"""Everything that a person or a program can ask for: one function each.

One file for each thing that can be asked. The command line, the REST interface, the pages and the Python interface call
the same functions and add nothing but form.

    a person or a program -> cli, api, portal, client -> operate.VERB(house, ...) -> store, or an order to the owner

Invariants: what a person can do, a program can; every function takes a `House` and opens its own transactions; a
command that changes a crawl under way writes an order, and whoever owns the data folder carries it out.
"""
