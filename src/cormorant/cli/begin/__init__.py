"""Commands for the first minutes: `quickstart`, `serve`."""
