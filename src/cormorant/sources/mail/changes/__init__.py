"""Changes of an account since its last listing, without a look at the messages that stayed.

    state of each folder at the last listing --folder_delta--> messages that came, UIDs that went, or: list everything
    folders --AccountWatch--> something changed             NOTIFY, else IDLE and STATUS

Invariants: a folder is taken for unchanged only if its UIDVALIDITY, its next UID and its number of messages say so
together; whatever does not add up ends in a complete listing, never in a deletion.
"""
