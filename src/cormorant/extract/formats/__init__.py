"""Readers of other formats: plain text, XML, EPUB, FictionBook, gzip, Windows metafiles, and those of xberg."""
