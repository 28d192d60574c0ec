"""Text, metadata and attachments of a PDF, by PDFium and otherwise from the bytes of the file.

    pdf            the reader: the parts of the text in their order
    open_file      opening, passwords, damage
    pages          text of a page; annotations, form_fields, structure_tags, outline what stands beside it
    line_hyphens   words that were broken at the end of a line
    metadata       Info dictionary and XMP packet;  xfa  forms of Adobe LiveCycle;  attachments  files inside

It runs only in the sandbox.
"""
