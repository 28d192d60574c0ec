"""How does each reader read a document? One program each, which answers lines with lines."""
