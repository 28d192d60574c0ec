"""Reader of Rich Text Format (RTF 1.9.1): a small document or the body of a mail, in one stream of control words.

    reader      the two functions that others call, and the loop over tokens
    tokens      control words, groups, bytes
    groups      the state of a group until it ends, and the target of its text
    charsets    charsets of fonts as codecs
    fields      links, and choices of form fields
    objects     files in objects

Useful for: all text that a word processor shows. Not useful for: HTML that Outlook wraps in RTF, whose tags are passed
over.

Invariants

- An unknown group that may be ignored is ignored; any other is read.
- Nested groups use no Python stack, and beyond a limit no memory.
"""
