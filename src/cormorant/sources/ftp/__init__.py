"""Files of an FTP server (RFC 959, RFC 3659, RFC 4217).

    wire.py     the control connection, TLS, and data connections to the same address
    listing.py  lines of MLSD and of LIST as Unix and DOS print them
    client.py   FtpClient: folders and files over one control connection

Invariants: a data connection goes to the address of the control connection and to no other; a password goes out in
clear only to a server inside, or where the settings say so; names are bytes, and none can end a command early.
"""
