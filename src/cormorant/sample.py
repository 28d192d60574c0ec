"""Serve the sample site: `python -m cormorant.sample [--port N]`."""

from __future__ import annotations

from cormorant.app.sample.__main__ import main

if __name__ == "__main__":
    main()
