"""The index of words, and a plain one in memory that does the same.

    IndexedDocument --Upsert--> writer --commit(place)--> generation on disk --refresh--> reader --Search--> Matches
                                  ^                            |
        Delete, UpdateLinks ------'                            `-- aside: a rebuild, switched in when it is whole

One process writes (the provider), any number read. Useful for: words, phrases, fields, access, hidden documents,
folding equal ones. Not useful for: what is known about an address (the store's), or what a person meant (search).

Invariants: there is no search without a Reader, and access is part of the query, never a filter on its results; the
place of the last change is committed together with the changes, so a crash loses nothing and resuming after it shows no
change twice; the index can be rebuilt from the store, so damage is reported, never repaired.
"""
