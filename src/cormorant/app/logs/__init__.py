"""Logs of processes and runs, and traces for OpenTelemetry."""
