"""Questions about a text that need nothing but the text: robots directives, login pages, near duplicates."""
