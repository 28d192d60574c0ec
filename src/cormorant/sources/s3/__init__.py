"""Objects of S3 and of stores that speak like it.

    signer.py    AWS Signature Version 4, pure
    object_urls.py    keys as addresses: keys may hold anything
    answers.py   pages of a listing, and errors
    source.py    S3Source: one listing of the bucket, GET for each object

Invariants: the secret key signs and is never sent; an object is known by the hash that the store gives it, so that one
that was moved is not read again.
"""
