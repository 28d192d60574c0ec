"""Files of a Windows or Samba share (SMB 2 and 3).

    security.py  security descriptors: who may read a file ([MS-DTYP] 2.4)
    client.py    SmbClient: folders and files of one share
    source.py    SmbSource

Invariants: what is sent is signed, and encrypted unless the settings say otherwise; a guest is no user; names are
UTF-16, and one with half a surrogate pair is shown, though it cannot be asked for.
"""
