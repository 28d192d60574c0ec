"""Files of a Windows or Samba share (SMB 2 and 3).

    security.py        security descriptors: the entries of access lists ([MS-DTYP] 2.4)
    sid_names.py       SidNames: the readers that access lists name, and who is kept out where nobody can say
    lsa.py             accounts by their SIDs, as the server knows them ([MS-LSAT])
    rpc_pipe.py        RpcPipe: calls over a named pipe (DCE/RPC)
    login.py           a connection that is logged in
    kerberos.py        logins by Kerberos, and why one fails
    faults.py          statuses of responses ([MS-ERREF]) as refusals and faults
    share.py           SmbShare: folders and files of one share
    dfs_referral.py    referrals of a DFS namespace ([MS-DFSC])
    namespace.py       DfsNamespace: its links, and the servers behind them
    client.py          SmbClient: the share of a source, and those behind its links
    change_notices.py  ChangeNotices: the server's reports of changes ([MS-SMB2] 2.2.35)
    share_watch.py     ShareWatch: a connection that waits for them, and is taken up again
    source.py          SmbSource

Invariants: what is sent is signed, and encrypted unless the settings say otherwise; a guest is no user; a login goes to
the server of `url` and to those that `dfs_servers` names; names are UTF-16, and one with half a surrogate pair is
shown, though it cannot be asked for.
"""
