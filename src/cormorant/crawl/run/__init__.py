"""The course of one run: prepare, queue, crawl, complete, wait for approval where it is asked for.

One process for each run (the run controller). Start with `controller`.
"""
