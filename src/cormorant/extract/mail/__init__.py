"""Readers of internet mail: messages, mailboxes, saved web pages, and the files in them."""
