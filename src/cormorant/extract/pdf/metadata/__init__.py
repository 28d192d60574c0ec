"""Particulars of a PDF as it states them itself: title, language, authors and further attributes.

document_metadata   both sources put together
info_keys           keys of the Info dictionary, whose values PDFium returns
xmp                 properties of the metadata packet
typed_streams       streams that PDFium does not hand out
"""
