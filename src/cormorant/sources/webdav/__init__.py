"""Files of a WebDAV server (RFC 4918), such as Nextcloud, ownCloud, Apache and nginx.

    login.py       Basic and Digest, as the server asks
    multistatus.py answers to PROPFIND, whatever form their addresses have
    source.py      WebDavSource: PROPFIND of depth 1 for each folder, GET for each file

Invariants: a password goes to the server that the settings name, and over plain HTTP only inside; redirects are not
followed; no address of an answer is asked for, only names are taken from it.
"""
