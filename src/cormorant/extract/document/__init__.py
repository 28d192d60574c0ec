"""Building blocks of the readers of office documents: packages, XML, text with its notes, embedded files."""
