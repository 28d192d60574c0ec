"""Rewriting of URLs before they are known: parameters that are stripped, rules, secrets that are masked."""
