"""What does the engine alone take for the same questions?

Two measures. *By itself*: its own parser reads the words (title and text, no forms of words), the reader's rights stand
beside them, the ten best documents are read from its store: what a program would do that uses it without more. *On our
query*: it is given what Cormorant makes of the words and ranks as many documents as Cormorant asks for; what Cormorant
takes beyond is its own doing.
"""

from __future__ import annotations

import json
from pathlib import Path

import tantivy
from tantivy import Occur, Query

from cormorant.model.acl import Reader
from cormorant.search.index.query import MOST_RANKED, Search
from cormorant.search.index.tantivy import generations
from cormorant.search.index.tantivy.dictionary import Dictionary
from cormorant.search.index.tantivy.query_compiler import Compiler
from cormorant.search.index.tantivy.reader_view import ReaderView
from cormorant.search.index.tantivy.schema import register
from cormorant.search.query.parser import parse
from cormorant.search.weights import DEFAULT

_HITS = 10
_FIELDS = ["title", "text"]


class Bare:
    """The engine, opened on the folder of an index."""

    def __init__(self, folder: Path, reader: Reader) -> None:
        generation = generations.current(folder)
        if generation is None:
            raise FileNotFoundError(f"there is no index in {folder}")
        self._index = tantivy.Index.open(str(generation))
        register(self._index)
        self._index.reload()
        self._searcher = self._index.searcher()
        self._reader = reader
        schema = self._index.schema
        slots = sum(segment["max_doc"] for segment in json.loads((generation / "meta.json").read_bytes())["segments"])
        self._sight = ReaderView(self._searcher, schema, reader, slots)
        self._dictionary = Dictionary(self._searcher)
        principals = sorted(reader.principals)
        self._rights = [
            (Occur.Must, Query.const_score_query(Query.term_set_query(schema, "grant", principals), 0.0)),
            (Occur.MustNot, Query.term_set_query(schema, "deny", principals)),
        ]

    def by_itself(self, question: str) -> int:
        """Parse, search, read ten documents; how many bytes they have."""
        query = self._index.parse_query(question, _FIELDS)
        found = self._searcher.search(Query.boolean_query([(Occur.Must, query), *self._rights]), _HITS)
        return self._read(found)

    def on_our_query(self, question: str) -> int:
        """Search for what Cormorant makes of the question, as deep as it does; read ten documents."""
        compiler = Compiler(self._index.schema, self._sight, self._dictionary, DEFAULT)
        query = compiler.whole(Search(parse(question).query, self._reader, weights=DEFAULT))
        return self._read(self._searcher.search(query, MOST_RANKED))

    def _read(self, found: tantivy.SearchResult) -> int:
        size = 0
        for _, address in found.hits[:_HITS]:
            document = self._searcher.doc(address)
            size += len(bytes(document.get_first("body") or b"")) + len(bytes(document.get_first("rest") or b""))
        return size
