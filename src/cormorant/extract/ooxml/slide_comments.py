"""Comments on slides: ECMA-376-1 19.4, and threads with replies ([MS-PPTX] 2.2.21)."""

from __future__ import annotations

from collections.abc import Iterator

from cormorant.extract.document.xml_tree import Element, attribute
from cormorant.extract.ooxml.drawing_text import body_paragraphs, paragraph_text
from cormorant.extract.ooxml.escapes import decode_escapes
from cormorant.extract.ooxml.namespaces import name_of_element
from cormorant.extract.ooxml.relationships import OoxmlPackage
from cormorant.extract.sanitize import one_line


class CommentAuthors:
    """The names of those who commented, by their ids in the two kinds of comments."""

    def __init__(self, package: OoxmlPackage, main: str) -> None:
        self._names: dict[str, str] = {}
        for part in package.related(main, "commentAuthors", "authors"):
            root = package.xml(part)
            for each in root if root is not None else ():
                self._names.setdefault(attribute(each, "id"), one_line(attribute(each, "name")))

    def name(self, author_id: str) -> str:
        """Return the name of an author, "" for one that is not known."""
        return self._names.get(author_id, "")


def comment_lines(root: Element | None, authors: CommentAuthors) -> list[str]:
    """Return the comments of a part, each with its replies, after their authors' names."""
    comments = root if root is not None else ()
    said = (each for comment in comments for each in (comment, *_replies(comment)))
    return [line for each in said if (line := _line(each, authors))]


def _replies(comment: Element) -> Iterator[Element]:
    for child in comment:
        if name_of_element(child) == "p188:replyLst":
            yield from child


def _line(comment: Element, authors: CommentAuthors) -> str:
    pieces = []
    for child in comment:
        if name_of_element(child) == "p:text":
            pieces.append(decode_escapes(child.text or ""))
        elif name_of_element(child) == "p188:txBody":
            pieces += [paragraph_text(paragraph) for _, paragraph in body_paragraphs(child)]
    text = "\n".join(pieces).strip()
    author = authors.name(attribute(comment, "authorId"))
    return f"{author}: {text}" if author and text else text
