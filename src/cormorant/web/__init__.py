"""The search page, the pages of administrators and the REST interface.

    GET /            one box                       GET /advanced   the form with all fields
    GET /search?q=   hits, page by page           GET /api/v1/search?q=   the same for programs
    GET /duplicates/ID   duplicates and near duplicates of a document  GET /api/v1/documents/ID/duplicates
    GET /api/v1/suggest?q=   completions of a typed query
    GET /cached/ID   the kept copy of a document  GET /health/live, /health/ready
    GET /mail/ID     a message, /mail/ID/thread its thread, /mail/SOURCE/YEAR/MONTH the messages of a month
    POST /clicked/SEARCH/ID   a result was opened  GET /queries   the query log
    GET /help        query syntax                 GET /help/errors, /opensearch.xml, /api/openapi.json
    POST /preferences/theme   light or dark, then back to the page
    POST /preferences/keys    switch keyboard shortcuts
    GET, POST /sign-in, POST /sign-out   if other machines reach the pages

    request --guard--> authentication --> route --operate.search--> Answer --pages.formatting--> values --templates-->
    page

Each route declares the scope that it needs (`authorization.needs`); `authentication` checks it before routing. The
routes that show documents whoever may read them are those of `api.router`.

`errors` answers requests whose page cannot be shown. Every page works without JavaScript; `static/keys.js` adds
keyboard shortcuts, `static/suggest.js` suggestions. The style sheet is `static/cormorant.css`, that of copies
`copy.css`.

Invariants: readers see documents only through `search.reader`; every route that asks `operate` for more is in the group
of `api.router`, and pages link into it only for visitors with its scope; a route without a declared scope is closed to
everybody; all data from elsewhere is escaped; a request for an unknown host name is refused; only a kept copy may be
framed, and only by its own page; no page loads anything from elsewhere.
"""
