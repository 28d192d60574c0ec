"""Readers of OpenDocument files (ODF 1.3, OASIS and ISO/IEC 26300): text, sheets, slides, drawings, charts, formulas.

    reader          the text and metadata of a document
    embedded        the files embedded in it
    odf_package     the parts of a document, whether it is a ZIP file or one XML file
    flow            the walk over elements; the modules below have tables of readers by element
    text            paragraphs, notes, fields, links
    list_labels     numbers of lists and headings
    table           tables, and the values of their cells
    spreadsheet     sheets, row by row, since they can be large
    shapes          shapes, text boxes, pictures, form controls
    charts          charts and formulas
    presentation    slides and their notes
    styles          headers and footers of the pages that are in use
    metadata        title, author and the like

Useful for: all visible text of an OpenDocument file. Not useful for: its layout.

Invariants

- An element that no table names is read through: its text is found, and its name is not.
- A count in a file (repeated cells, spaces) is a claim: it never decides how much text is made.
"""
