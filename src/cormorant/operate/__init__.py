"""The operations of the product: one function for each thing that a person or a program can ask for.

The command line, the REST interface, the pages and the Python interface call the same functions and add only form.

    a person or a program -> cli, web, client -> operate.VERB(house, ...) -> store, or an order to the owner

Invariants: people and programs can do the same things; every function takes an `Installation` and opens its own
transactions; a command that changes a running crawl writes an order, which the owner of the data folder carries out.
"""
