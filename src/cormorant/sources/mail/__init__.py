"""Mail: the folders of an IMAP account, mbox files, Maildirs. One kind of source, one document a message.

    url or path --Mailbox.messages--> MessageEntry(address, version) ...    every message, in batches (discovery)
    account     --Mailbox.changes--> messages that came or went         where that can be known (changes/)
    address     --Mailbox.read--> RawMessage, or an outcome             the message as it was sent (visits)

    Mailbox <- ImapMailbox (imap_mailbox, wire)      folder / UIDVALIDITY / UID
            <- LocalMailbox (local_mailbox) <- mbox      file / identity of the message
                                            <- maildir   folder / unique name of the message

A message is handed on as message/rfc822; converters make its text, its attributes and the documents attached to it.

Invariants: nothing is ever changed in a mailbox, not even a flag; a message that a mailing list setting leaves out is
never indexed; no answer of a server is read beyond a bound in bytes, lines and time; a mailbox that cannot be listed to
its end fails the listing, so that nothing is deleted for it.
"""
