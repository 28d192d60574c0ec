"""The index of words, and a plain one in memory that does the same.

    IndexedDocument --Upsert--> writer --commit(place)--> generation on disk --refresh--> reader --Search--> Matches
                                  ^                            |
        Delete, UpdateLinks ------'                            `-- aside: a rebuild, switched in when it is whole

One process writes (the provider), any number read. Useful for: words, phrases, fields, access, hidden documents,
folding equal ones. Not useful for: what is known about an address (the store's), or what a person meant (search).

Invariants: nobody can ask without a Reader, and access is part of the question, never a filter on its answers; the
place of the last change is committed in one with the changes, so a crash loses nothing and going on after it repeats
nothing that could be seen; what is in here can be made again from elsewhere, so damage is reported, never repaired.
"""
