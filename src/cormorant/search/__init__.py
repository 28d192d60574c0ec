"""Reading what a person typed, and presenting what was found.

    text --lexer--> tokens --parse--> Query, Understood --Search(reader)--> index --> Matches --snippet--> Hit

`reader.Library` is the one way to see a document, or to know that there is one.

Invariants: every text is a query, and a note names each part that could not be used; no hit, total, duplicate or
snippet comes from a document that the reader may not see or that the store has hidden; nothing is found without a
Reader.
"""
