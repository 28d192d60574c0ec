"""OpenDocument files written by hand, packed and flat."""

from __future__ import annotations

from cormorant.extract.job import ExtractionTask
from cormorant.extract.opendocument.reader import extract_odf
from cormorant.model.content import Extraction
from tests.extract.writers import zipped

HERE = "https://h.example/dir/file.odt"
_ODF = "urn:oasis:names:tc:opendocument:xmlns:"
NAMES = " ".join(
    [
        *(
            f'xmlns:{name}="{_ODF}{name}:1.0"'
            for name in ("chart", "form", "manifest", "meta", "office", "presentation", "style", "table", "text")
        ),
        f'xmlns:draw="{_ODF}drawing:1.0"',
        f'xmlns:svg="{_ODF}svg-compatible:1.0"',
        'xmlns:dc="http://purl.org/dc/elements/1.1/"',
        'xmlns:field="urn:openoffice:names:experimental:ooo-ms-interop:xmlns:field:1.0"',
        'xmlns:math="http://www.w3.org/1998/Math/MathML"',
        'xmlns:xlink="http://www.w3.org/1999/xlink"',
    ]
)


def content(body: str, kind: str = "text", styles: str = "") -> str:
    """Return a content part whose body is `body`."""
    return (
        f'<?xml version="1.0"?><office:document-content {NAMES}><office:automatic-styles>{styles}'
        f"</office:automatic-styles><office:body><office:{kind}>{body}</office:{kind}></office:body>"
        "</office:document-content>"
    )


def odf(
    body: str = "", kind: str = "text", *, styles: str = "", masters: str = "", meta: str = "", **parts: str
) -> bytes:
    """Return a packed document. `masters` are its master pages, `styles` automatic styles, `parts` further files."""
    files: dict[str, str | bytes] = {
        "mimetype": f"application/vnd.oasis.opendocument.{kind}",
        "content.xml": content(body, kind, styles),
        "styles.xml": f"<office:document-styles {NAMES}><office:master-styles>{masters}</office:master-styles>"
        "</office:document-styles>",
        "meta.xml": f"<office:document-meta {NAMES}><office:meta>{meta}</office:meta></office:document-meta>",
        **parts,
    }
    return zipped(files)


def manifest(entries: str) -> str:
    """Return the manifest of a package."""
    return f"<manifest:manifest {NAMES}>{entries}</manifest:manifest>"


def flat(body: str, kind: str = "text", *, styles: str = "", masters: str = "", meta: str = "") -> bytes:
    """Return a document in one XML file."""
    return (
        f'<?xml version="1.0"?><office:document {NAMES}><office:meta>{meta}</office:meta><office:automatic-styles>'
        f"{styles}</office:automatic-styles><office:master-styles>{masters}</office:master-styles><office:body>"
        f"<office:{kind}>{body}</office:{kind}></office:body></office:document>"
    ).encode()


def read(body: bytes, address: str = HERE) -> Extraction:
    """Return what the reader says of a document."""
    return extract_odf(body, ExtractionTask("", address))


def lines(said: str) -> list[str]:
    """Return the lines of a text that are not empty."""
    return [line for line in said.split("\n") if line]


def text(body: str, kind: str = "text", **more: str) -> str:
    """Return the text of a document with this body."""
    return read(odf(body, kind, **more)).text
