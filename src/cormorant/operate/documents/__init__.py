"""Documents: look up, list, compare, recrawl, take down, erase."""
