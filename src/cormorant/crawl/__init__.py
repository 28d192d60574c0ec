"""The course of one run, from its start to its end.

    run        prepare, queue, wait for completion, approve ........ one controller for each run
    discover   URLs that the source names
    worker     lease hosts, take the next URL ...................... many processes
    visit      filters -> fetch -> convert -> outcome
    commit     copies first, then one transaction for each batch
    deliver    stream -> receivers, each at its own place .......... one process
    finish     sweep unseen documents, settle canonical pages, invert links

Read the packages in this order; each begins with the module that its docstring names.

Invariants: this package holds order, never policy: an `if` about a kind, a format or a back end there is a bug; this
package, `operate` and `app` open writing transactions, and in `frontier` two modules that say so.
"""
