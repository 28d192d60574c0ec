"""The structures of a Word 97-2003 document: [MS-DOC].

information  the file information block: where everything lies, and how long each part of the text is
pieces       the text, put together of its pieces
formatted_runs, list_tables, paragraph_labels  numbers of lists, by the formatting of paragraphs
formatting   revisions, symbols and rows, which only the formatting of a run or paragraph tells
story        characters with a meaning: fields, cells, marks of notes
form_fields  choices of form fields
"""
