"""Queries for known pages of documentation, each with the pages that answer it.

They were written from the contents of these manuals before any search, and nothing was removed or changed afterwards.
A query is answered if one of its pages is among the first three hits.
"""

from __future__ import annotations

from typing import NamedTuple


class Known(NamedTuple):
    """A question, and the names of the pages that answer it."""

    text: str
    pages: tuple[str, ...]


def _known(*pairs: tuple[str, str]) -> tuple[Known, ...]:
    return tuple(Known(text, tuple(f"{page}.html" for page in pages.split())) for text, pages in pairs)


KNOWN: dict[str, tuple[Known, ...]] = {
    "git": _known(
        ("record changes to the repository", "git-commit"),
        ("ignore files", "gitignore"),
        ("stash changes away", "git-stash"),
        ("revert some existing commits", "git-revert"),
        ("find the commit that introduced a bug", "git-bisect"),
        ("who last modified each line", "git-blame git-annotate"),
        ("switch branches", "git-switch git-checkout"),
        ("download objects and refs from another repository", "git-fetch"),
        ("join two development histories", "git-merge"),
        ("reapply commits on top of another base", "git-rebase"),
        ("create and delete tags", "git-tag"),
        ("submodules", "git-submodule gitsubmodules"),
        ("clone a repository", "git-clone"),
        ("glossary", "gitglossary"),
        ("hooks", "githooks"),
        ("tutorial", "gittutorial gittutorial-2"),
        ("git for CVS users", "gitcvs-migration"),
        ("show commit logs", "git-log"),
        ("credential helper", "gitcredentials git-credential"),
        ("attributes per path", "gitattributes"),
    ),
    "postgresql": _known(
        ("create index", "sql-createindex"),
        ("vacuum", "sql-vacuum"),
        ("routine vacuuming", "routine-vacuuming"),
        ("listen_addresses", "runtime-config-connection"),
        ("pg_hba.conf", "auth-pg-hba-conf"),
        ("point in time recovery", "continuous-archiving"),
        ("window functions tutorial", "tutorial-window"),
        ("json functions and operators", "functions-json"),
        ("full text search dictionaries", "textsearch-dictionaries"),
        ("pg_dump", "app-pgdump"),
        ("transaction isolation", "transaction-iso"),
        ("row level security", "ddl-rowsecurity"),
        ("table partitioning", "ddl-partitioning"),
        ("numeric data types", "datatype-numeric"),
        ("using explain", "using-explain sql-explain"),
        ("regular expressions pattern matching", "functions-matching"),
        ("logical replication", "logical-replication"),
        ("error codes", "errcodes-appendix"),
        ("psql", "app-psql"),
        ("postgres_fdw foreign data wrapper", "postgres-fdw"),
    ),
    "sqlite": _known(
        ("insert or update if the row exists already", "lang_upsert lang_UPSERT"),
        ("command line shell", "cli"),
        ("write-ahead logging", "wal"),
        ("foreign key support", "foreignkeys"),
        ("FTS5 extension", "fts5"),
        ("database file format", "fileformat2 fileformat"),
        ("next generation query planner", "queryplanner-ng"),
        ("date and time functions", "lang_datefunc"),
        ("common table expressions", "lang_with"),
        ("window functions", "windowfunctions"),
        ("json functions", "json1"),
        ("isolation", "isolation"),
        ("when to use sqlite", "whentouse"),
        ("implementation limits", "limits"),
        ("online backup", "backup"),
        ("result and error codes", "rescode"),
        ("how to corrupt a database", "howtocorrupt"),
        ("type affinity", "datatype3"),
        ("autoincrement", "autoinc"),
        ("r-tree module", "rtree"),
    ),
}
"""By the name of the site in `sites.py`."""
AMONG = 3
"""A right page counts when it is among so many."""
ENOUGH = 17
"""Questions of twenty that have to be answered."""
