"""A rewriter: what a site shows for printers is known by the address of the page itself."""

from cormorant.plugins import Discard, Rewritten


class Printed:
    """Made once a process; answers from the address alone."""

    def rewrite(self, address: str) -> Rewritten | Discard | None:
        """Return what an address becomes, Discard for what nobody wants, None where it stays as it is."""
        if "/calendar/" in address:
            return Discard("a calendar has no end")
        if address.endswith("?print=1"):
            return Rewritten(address.removesuffix("?print=1"))
        return None
