"""Text documents by python-docx and odfpy."""

# mypy: disable-error-code="import-not-found, import-untyped"
from __future__ import annotations

from pathlib import Path
from typing import Any


def with_python_docx(path: Path) -> tuple[str, ...]:
    """Write a document of Word."""
    import docx

    document = docx.Document()
    about = document.core_properties
    about.title, about.subject, about.author = "quokkatitle of the report", "quokkasubject", "Quokkaauthor Smith"
    about.keywords, about.comments, about.category = "quokkakeyword, second", "quokkadescription", "quokkacategory"
    document.add_heading("quokkaheading", 1)
    paragraph = document.add_paragraph("quokkabody and ")
    run = paragraph.add_run("quokkatabone\tquokkatabtwo and quokkabreakone\nquokkabreaktwo")
    document.add_comment(run, text="quokkacomment", author="Commentator", initials="C")
    pieces = document.add_paragraph("quok")
    pieces.add_run("kapie").bold = True
    pieces.add_run("ces")
    document.add_paragraph("quokkalistitem", style="List Bullet")
    table = document.add_table(2, 2)
    table.cell(0, 0).text, table.cell(0, 1).text = "quokkacellone", "quokkacelltwo"
    table.cell(1, 0).text = "quokkatable"
    table.cell(1, 1).add_table(1, 1).cell(0, 0).text = "quokkanestedtable"
    section = document.sections[0]
    section.header.paragraphs[0].text, section.footer.paragraphs[0].text = "quokkaheader", "quokkafooter"
    section.different_first_page_header_footer = True
    section.first_page_header.paragraphs[0].text = "quokkafirstheader"
    document.save(str(path))
    return (
        "heading", "body", "tab", "line break", "comment", "word in pieces", "list item", "table", "nested table",
        "neighbouring cells", "header", "footer", "first header", "property title", "property subject",
        "property author", "property keywords", "property description", "property category",
    )  # fmt: skip


def with_odfpy(path: Path) -> tuple[str, ...]:
    """Write an OpenDocument text."""
    from odf import dc, office, table, text
    from odf.opendocument import OpenDocumentText

    document = OpenDocumentText()
    _describe(document)
    body = document.text
    body.addElement(text.H(outlinelevel=1, text="quokkaheading"))
    paragraph = text.P(text="quokkabody quokkatabone")
    paragraph.addElement(text.Tab())
    paragraph.addText("quokkatabtwo quokkabreakone")
    paragraph.addElement(text.LineBreak())
    paragraph.addText("quokkabreaktwo")
    for kind, word in (("footnote", "quokkafootnote"), ("endnote", "quokkaendnote")):
        note, inside = text.Note(noteclass=kind), text.NoteBody()
        inside.addElement(text.P(text=word))
        note.addElement(text.NoteCitation(text="1"))
        note.addElement(inside)
        paragraph.addElement(note)
    remark = office.Annotation()
    remark.addElement(dc.Creator(text="Commentator"))
    remark.addElement(text.P(text="quokkacomment"))
    paragraph.addElement(remark)
    body.addElement(paragraph)
    rows = table.Table(name="T")
    row = table.TableRow()
    for word in ("quokkacellone", "quokkacelltwo"):
        cell = table.TableCell(valuetype="string")
        cell.addElement(text.P(text=word))
        row.addElement(cell)
    rows.addElement(row)
    body.addElement(rows)
    link = text.P()
    link.addElement(text.A(href="https://example.org/quokkalinktarget", text="quokkalinktext"))
    body.addElement(link)
    document.save(str(path))
    return (
        "heading", "body", "tab", "line break", "footnote", "endnote", "comment", "neighbouring cells", "header",
        "footer", "link text", "link target", "property title", "property subject", "property author",
        "property keywords", "property description", "custom property",
    )  # fmt: skip


def _describe(document: Any) -> None:
    """Give an OpenDocument text of odfpy its properties, its header and its footer."""
    from odf import dc, meta, style, text

    for name, value in ((dc.Title, "quokkatitle"), (dc.Subject, "quokkasubject"), (dc.Description, "quokkadescription"),
                        (meta.InitialCreator, "Quokkaauthor"), (meta.Keyword, "quokkakeyword")):  # fmt: skip
        document.meta.addElement(name(text=value))
    document.meta.addElement(meta.UserDefined(name="Department", text="quokkacustom"))
    layout = style.PageLayout(name="L")
    document.automaticstyles.addElement(layout)
    master = style.MasterPage(name="Standard", pagelayoutname=layout)
    document.masterstyles.addElement(master)
    for kind, word in ((style.Header, "quokkaheader"), (style.Footer, "quokkafooter")):
        frame = kind()
        frame.addElement(text.P(text=word))
        master.addElement(frame)
