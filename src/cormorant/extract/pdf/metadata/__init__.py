"""Metadata of a PDF: title, language, authors and further attributes.

document_metadata   both sources combined
info_keys           keys of the Info dictionary, whose values PDFium returns
xmp                 properties of the metadata packet
typed_streams       streams that PDFium does not return
"""
