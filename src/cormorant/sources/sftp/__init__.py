"""Files of an SSH server, read by SFTP.

    packets.py   packets of SFTP version 3 and their fields (draft-ietf-secsh-filexfer-02)
    wire.py      the SSH connection: host key, login, channel
    client.py    SftpClient: folders, files, links and rights over one channel

Invariants: nothing is sent to a server whose host key is not known; names are bytes; no packet and no listing of the
server is believed beyond its limits.
"""
