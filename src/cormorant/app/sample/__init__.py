"""A sample web site and a folder of documents, for the first minutes.

A small web site of an island that does not exist, and a folder of its office's documents. A first crawl without any
settings gets these two, and finds in them what real sites and shares have: pages that moved, pages that are gone,
copies, other languages, paths that robots may not visit, and a file that no converter reads.

    SampleSite.start() -> child process -> http://127.0.0.1:PORT/ --GET--> answers.py <- pages.py <- site/
                               ^                                                  `-- conditional: 304
        stop(), or the end of its parent process

    documents_folder() -> documents/   text, tables, letters, slides, PDFs; for a files source

The modules: `pages` (existing and moved pages), `answers` (one request, one response, pure), `site` (the process),
`__main__` (the same from a terminal: `python -m cormorant.app.sample`).

Invariants: it listens on 127.0.0.1 only; it ends with its parent; equal requests get equal responses, on every machine
and after every installation (no file times, no chance); no link leads off the site.
"""
