"""The structures of a PowerPoint 97-2003 document: [MS-PPT].

records        everything is a record: a header with type and size, and bytes or further records
presentation   which slides, notes and masters there are, and where they lie
slide          the text of one of them
objects        what is embedded in it, and the pictures that show it
"""
