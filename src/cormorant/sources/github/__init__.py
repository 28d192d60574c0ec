"""Issues, pull requests, discussions and releases of GitHub, read by its REST and GraphQL interfaces.

    settings.py     GitHubSettings: repositories or an organisation, what of them, rights
    client.py       GitHubClient: requests of either interface, and its limits of rate
    issues.py       issues of a repository: all, and those that changed
    discussions.py  discussions of a repository, by GraphQL
    releases.py     releases of a repository
    page.py         an issue or pull request as one page, with everything said to it
    source.py       GitHubSource: which of these makes a document

Invariants: a document is known by the full name of its repository, its sort and its number; the number of issues tells
whether one was deleted, so a discovery of changes proves that none is missing.
"""
