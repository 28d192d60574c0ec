"""Git repositories as sources: the files of one branch.

    ls-remote --other head?--> fetch into a bare mirror --> last_changes.py reads the new part of the log
        `-- the same ---------------------------------> list the tree; visits read blobs out of the mirror

The system's git program speaks the protocols (its addresses are judged and pinned before) and reads what repositories
hold. Invariants: nothing of a repository is checked out, configured or run; names in it are bytes, and never paths of
this machine.
"""
