"""Readers of OpenDocument files (ODF 1.3, OASIS and ISO/IEC 26300): text, sheets, slides, drawings, charts, formulas.

    reader          the text and particulars of a document
    embedded        the files embedded in it
    odf_package     the parts of a document, whether it is a ZIP file or one XML file
    flow            the walk over elements; the tables of the modules below say what each element means
    text            paragraphs, notes, fields, links
    list_labels     numbers of lists and headings
    table           tables, and the values of their cells
    spreadsheet     sheets, row by row, since they can be large
    shapes          shapes, text boxes, pictures, form controls
    charts          charts and formulas
    presentation    slides and their notes
    styles          headers and footers of the pages that are in use
    metadata        title, author and the like

Useful for: everything that people can see in an OpenDocument file. Not useful for: how it looks.

Invariants

- An element that no table names is read through: its text is found, and its name is not.
- A count in a file (repeated cells, spaces) is a claim: it never decides how much text is made.
"""
