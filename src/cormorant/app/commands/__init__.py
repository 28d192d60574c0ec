"""Commands that need several parts at once: open, crawl, deliver, restore, try a source."""
