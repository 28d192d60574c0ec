"""Which places of a document does a reader find, and which does it miss, beside the readers of others?

A document is made for each format and writer, with one word of its own in every place where text can stand; each reader
reads it, and a table says which words it found::

    places                                      the places, and what has to become of their words
    documents/                                  documents as XML and RTF, with the words in them
    packages, converted, by_hand, libraries     the samples: zipped, converted by LibreOffice, by code, by libraries
    corpus -> sample                            all of them, with the places that they have
    peers -> readers                            the programs that read, each in a process of its own
    judge -> page                               which words were found; the tables

Command: ``python -m bench.formats``. The figures are for people: they fail nothing.
"""
