"""Decisions about a URL or a host, as pure functions: priority, back-off, budgets, the deletion guard."""
