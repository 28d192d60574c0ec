"""Does the benchmark count right? Run with ``python -m pytest bench/tests``; part of no other target."""
