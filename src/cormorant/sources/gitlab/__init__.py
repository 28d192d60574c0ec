"""Issues, merge requests, wiki pages and snippets of GitLab, read by its REST interface.

    settings.py  GitLabSettings: projects or a group, what of them, rights
    client.py    GitLabClient: requests, pages, projects and who may read what of them
    records.py   issues and merge requests of a project: all, and those that changed
    snippets.py  snippets of a project, with their files
    page.py      an issue or merge request with its notes as Markdown; a wiki page as HTML
    source.py    GitLabSource: which of these makes a document

Invariants: a document is known by the path of its project, its sort and its number; what is confidential or internal
is never part of a document that everybody may find.
"""
