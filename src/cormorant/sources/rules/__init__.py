"""Compiler of boundary rules: which URLs lie inside a source.

    "prefix:https://x/drafts/"  --parse_rule-->  Rule  --compile_rules-->  Boundary.ruling(address) -> Ruling

Which addresses are let in:

1. Exclusion wins: an address that any exclude rule matches is out, however it is included.
2. Rules that say *where* (`host suffix prefix address ip contains regex any`) add up: one that matches is enough.
   Without any, the hosts of the start addresses are included.
3. Rules that say *which of them* (`path name ext ends port scheme`) narrow: of each type given, one has to match. A
   path or port that names a host is a rule for that host only; where none holds, nothing is narrowed.

A visited document may be found unless index rules leave it out: the same rules, and some about documents (`mime`,
`size`, `age`), which narrow.

Hosts and simple rules do not tell capitals from small letters, and `*` in them is any characters; a `regex` does tell.
Everything is compared with the canonical address, so what is typed is canonicalised too. Matching is linear: regular
expressions are RE2's, wildcards are compared in one pass. The answer for a host is worked out once, so that a new link
costs well below a microsecond.

Invariants: no network, no clock; the same address gets the same answer for as long as a boundary lives.
"""

from cormorant.sources.rules.boundary import DEFAULT_RULE, Boundary, compile_rules, met
from cormorant.sources.rules.index_rules import INDEX_TYPES, Facts, IndexRules
from cormorant.sources.rules.matching import AnyOf, TextTest, Tried, compile_pattern, in_order
from cormorant.sources.rules.parser import (
    DOCUMENT_TYPES,
    RULE_TYPES,
    BoundaryRule,
    examples_of,
    extensions,
    host_name,
    parse_rule,
    split_port,
    split_rule,
)

__all__ = [
    "DEFAULT_RULE",
    "DOCUMENT_TYPES",
    "INDEX_TYPES",
    "RULE_TYPES",
    "AnyOf",
    "Boundary",
    "BoundaryRule",
    "Facts",
    "IndexRules",
    "TextTest",
    "Tried",
    "compile_pattern",
    "compile_rules",
    "examples_of",
    "extensions",
    "host_name",
    "in_order",
    "met",
    "parse_rule",
    "split_port",
    "split_rule",
]
