"""Backup, restore, check, repair, compaction and retention of the data folder."""
