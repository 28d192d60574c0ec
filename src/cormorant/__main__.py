"""`python -m cormorant` is `cormorant`."""

from __future__ import annotations

if __name__ == "__main__":
    from cormorant.cli import main

    main()
