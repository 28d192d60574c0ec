"""Runs: start, control, watch, schedule, review, report."""
