"""Recognition of text in pictures: scanned pages of a PDF, and pictures that are documents of their own.

    documents      a PDF with the text of its scanned pages, a picture with its text
    page_images    grey pictures, drawn by PDFium or decoded by Pillow
    engines        the one way to use either engine: rapidocr_engine, tesseract_engine

By choice, and offline: nothing is fetched. Runs only in the sandbox, with an engine that was loaded before.
"""
