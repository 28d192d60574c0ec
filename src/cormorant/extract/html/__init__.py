"""HTML and XHTML: text, title, links and metadata of a page."""
