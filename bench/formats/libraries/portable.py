"""A PDF by reportlab and a 7-Zip archive by py7zr."""

# mypy: disable-error-code="import-not-found, import-untyped"
from __future__ import annotations

from pathlib import Path

from bench.formats.by_hand.archives import members


def with_reportlab(path: Path) -> tuple[str, ...]:
    """Write a PDF with a form that has appearances, an outline and a link."""
    from reportlab.pdfgen.canvas import Canvas

    page = Canvas(str(path), invariant=1)
    page.setTitle("quokkatitle of the report")
    page.setSubject("quokkasubject")
    page.setAuthor("Quokkaauthor Smith")
    page.setKeywords(["quokkakeyword", "second"])
    page.drawString(50, 780, "quokkabody")
    page.drawString(50, 760, "quokkacolumnone")
    page.drawString(300, 760, "quokkacolumntwo")
    lines = page.beginText(50, 740)
    lines.textLines("quokkabreakone\nquokkabreaktwo")
    page.drawText(lines)
    page.bookmarkPage("here")
    page.addOutlineEntry("quokkaoutline", "here")
    page.linkURL("https://example.org/quokkalinktarget", (50, 680, 150, 695))
    page.drawString(50, 682, "quokkalinktext")
    form = page.acroForm
    form.textfield(name="quokkacontrolname", value="quokkaformfield", x=50, y=600, width=200, height=20)
    form.choice(name="c", value="quokkachoice", options=["quokkachoice", "other"], x=50, y=560, width=200, height=20)
    page.textAnnotation("quokkaannotation", (400, 780, 420, 800))
    page.showPage()
    page.drawString(50, 780, "quokkasecondchapter")
    page.save()
    return (
        "body", "columns", "line break", "outline entry", "link text", "link target", "form field", "chosen value",
        "annotation", "second chapter", "control name", "property title", "property subject", "property author",
        "property keywords",
    )  # fmt: skip


def with_py7zr(path: Path) -> tuple[str, ...]:
    """Write the members that other archives have."""
    import py7zr

    with py7zr.SevenZipFile(path, "w") as archive:
        for name, body in members().items():
            archive.writestr(body, name)
    return (
        "member name", "member text", "member in a folder", "member with an accent", "attachment text",
        "member of a nested archive",
    )  # fmt: skip
