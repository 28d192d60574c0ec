"""Processes of an installation: supervisor, run loop, scheduler, web server, and the signals between them."""
