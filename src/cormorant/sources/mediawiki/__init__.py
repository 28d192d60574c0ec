"""Pages and files of a MediaWiki, read by its Action API.

    settings.py   MediaWikiSettings: namespaces, login, rights of namespaces
    client.py     MediaWikiClient: where the API is, the login, the API's own errors
    listing.py    titles of a namespace, and titles that changed
    page.py       a rendered page, with its categories and other names
    source.py     MediaWikiSource: which of these makes a document

Invariants: a title is the key of its document; a redirect is none, but another name of its target.
"""
