"""Schedules: cron lines, recurrences and time zones, computed without a clock."""
