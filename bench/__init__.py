"""How fast, how small and how complete is Cormorant on this machine, beside others?

The life of a benchmark run, in path order::

    sites -> debian | generated -> reference -> corpus      what is served, and what a crawler must find
    server                                                  nginx on loopback, one address a site
    measure (reaper, process)                               a command as a process tree: CPU, wall, memory
    crawlers, scrapy_peer                                   the commands that are measured
    judge                                                   what the server's log says about a crawl
    peers (programs, crawlee_peer)                          the other crawlers, and what each does
    million (addresses, fill)                               the same crawl beside a million known addresses
    calibrate, steps                                        how fast the machine is; where a page's time goes
    phases -> results (rivals, plot)                        the order of one round; the tables of figures

and beside it, by a command of its own (:mod:`bench.searching`)::

    stocking (prose) -> askers, bare -> searched            a million documents, asked by many at once

Invariants: requests go to 127.0.0.0/8 only; every process is ended by its process id; every ratio compares two
phases of one run on one machine; what counts as a page is decided by the server's log, never by a crawler.
"""
