"""One batch of visits, written in one transaction, or not at all.

Start with `committer`: blobs first, then rows, fenced by the epochs of the host leases.
"""
