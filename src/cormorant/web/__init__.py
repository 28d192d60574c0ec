"""The search page, the pages of administrators and the REST interface.

    GET /            one box                       GET /advanced   a field for everything
    GET /search?q=   hits, page by page           GET /api/v1/search?q=   the same for programs
    GET /duplicates/ID   all of equal content or nearly the same     GET /api/v1/documents/ID/duplicates
    GET /api/v1/suggest?q=   how what is typed may go on
    GET /cached/ID   the kept copy of a document  GET /health/live, /health/ready
    GET /mail/ID     a message, /mail/ID/thread its thread, /mail/SOURCE/YEAR/MONTH the messages of a month
    POST /clicked/SEARCH/ID   a result was opened  GET /queries   what was searched for
    GET /help        how to ask                   GET /help/errors, /opensearch.xml, /api/openapi.json
    POST /preferences/theme   light or dark, and back to where it was chosen
    POST /preferences/keys    whether single keys do something
    GET, POST /sign-in, POST /sign-out   where others reach the pages

    request --guard--> door --> route --operate.search--> Answer --pages.formatting--> values --templates--> page

Each route declares the scope that it needs (`authorization.needs`); `authentication` asks for it before anything is
routed. The routes that tell of documents without asking who may read them are those of `api.router`.

A page that cannot be shown is answered by `errors`. Every page works without JavaScript; `static/keys.js` is for those
who like keys better, `static/suggest.js` for suggestions. The look is `static/cormorant.css`, of copies `copy.css`.

Invariants: nothing is shown to a reader but through `search.reader`; every route that asks `operate` for more is in the
group of `api.router`, and nothing links into it unless it is open to who asks; a route that declares no scope is
closed to everybody; everything that came from elsewhere is escaped; a request for another host than ours is refused;
no page may be framed but a kept copy, and that by its own page alone; no page loads anything from elsewhere.
"""
