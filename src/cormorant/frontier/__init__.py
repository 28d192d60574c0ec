"""URLs of a source and the order in which they are visited.

Every known address of a source is a row; the owner of a site's lease visits the rows of the site.

    admit -> READY --lease--> (visited) --settle--> READY, due in the next generation   (a web page)
               ^                              `---> SETTLED                             (a listed file)
               `---- a listing shows another validator ----'
    any --purge--> no row

The nine sets of the older systems (todo, retrieving, found, providing, finished, old, postprocessing, postprocessed,
error) are a view over state, outcome, run number, site lease and place in the stream: see `url_states`.

Invariants: a site has one owner, fenced by its epoch; rows of a leased site are read and never locked; after a crash
the lease runs out and unsettled rows are still due; `crawl`, `operate` and `app` open the transactions in which it
writes, except in `queue/redirect_hosts.py` and `state/reprioritize.py`, which open their own.
"""
