"""A sample web site and a folder of documents, for the first minutes.

A small web site of an island that does not exist, and a folder of its office's documents. Whoever starts the product
without naming anything gets these two crawled, and finds in them what real sites and shares have: pages that moved,
pages that are gone, copies, other languages, places where robots may not go, and a file nothing can read.

    SampleSite.start() -> child process -> http://127.0.0.1:PORT/ --GET--> answers.py <- pages.py <- site/
                               ^                                                  `-- conditional: 304
    stop(), or the end of whoever started it

    documents_folder() -> documents/   text, tables, letters, slides, PDFs; for a files source

The rooms: `pages` (what is there, and what has moved), `answers` (one request, one answer, pure), `site` (the process),
`__main__` (the same from a terminal: `python -m cormorant.app.sample`).

Invariants: it listens on 127.0.0.1 only; it ends with its starter; equal requests get equal answers, on every machine
and after every installation (no file times, no chance); nothing on the site leads off it.
"""
