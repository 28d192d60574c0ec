"""Check of a query that an administrator wrote: one statement that reads.

It is the first of several barriers: the query runs as a part of a SELECT, in a read-only transaction.
"""

from __future__ import annotations

import re
from typing import Final

_PASSIVE: Final = re.compile(
    r"'(?:[^']|'')*'"  # a text
    r'|"(?:[^"]|"")*"'  # an identifier
    r"|`(?:[^`]|``)*`"
    r"|--[^\n]*"
    r"|/\*(?!!).*?\*/",  # MySQL runs what stands in /*! */
    re.DOTALL,
)
_READS: Final = ("select", "with", "values", "table", "(")
MAX_QUERY: Final = 100_000
"""Characters."""


def check_query(text: str) -> str:
    """Return the query without a semicolon at its end. Raises ValueError for more than one statement, or no SELECT."""
    query = text.strip().rstrip(";").rstrip()
    if len(query) > MAX_QUERY or "\0" in query:
        raise ValueError(f"a query has at most {MAX_QUERY:,} characters, and no NUL among them.")
    bare = _PASSIVE.sub(" ", query)
    if ";" in bare or (";" in query and "\\" in query):
        raise ValueError("it is more than one statement. Write a single SELECT; a semicolon only stands in a text.")
    if not bare.lstrip().lower().startswith(_READS):
        raise ValueError("it is no SELECT. A source only reads; write a SELECT that returns the rows.")
    if bare.count("(") != bare.count(")"):
        raise ValueError("its parentheses do not match.")
    return query
