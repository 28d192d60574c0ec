"""How does the site look? Settings of Sphinx; `docs/site.py` says what goes in."""

# ruff: noqa: INP001 - a folder of pages is no package

from __future__ import annotations

import re
from importlib import metadata
from pathlib import Path

_HERE = Path(__file__).parent
_PORTAL = _HERE.parent / "src" / "cormorant" / "web" / "static"


def _tokens(theme: str) -> dict[str, str]:
    """The product's own colours and fonts, by the theme's names for them, so that there is one place to change them."""
    sheet = (_PORTAL / "cormorant.css").read_text("utf-8")
    block = re.findall(rf"^{re.escape(theme)} \{{(.*?)^\}}", sheet, re.MULTILINE | re.DOTALL)[0]
    own = dict(re.findall(r"--([\w-]+): *([^;]+);", block))
    return {theirs: own[ours] for ours, theirs in _NAMES.items() if ours in own}


_NAMES = {
    "font": "font-stack",
    "mono": "font-stack--monospace",
    "bg": "color-sidebar-background",
    "surface": "color-background-primary",
    "sunken": "color-background-secondary",
    "line": "color-background-border",
    "line-2": "color-foreground-border",
    "ink": "color-foreground-primary",
    "ink-2": "color-foreground-secondary",
    "ink-3": "color-foreground-muted",
    "accent": "color-brand-primary",
    "accent-2": "color-brand-content",
    "accent-soft": "color-accent-soft",
    "mark": "color-highlighted-background",
    "mark-ink": "color-highlighted-text",
}

project = "Cormorant"
release = version = metadata.version("cormorant")
html_title = f"Cormorant {release}"

extensions = ["myst_parser"]
myst_heading_anchors = 4  # named as code hosts name them, so that a link works here and there
nitpicky = True
exclude_patterns = ["_static"]
highlight_language = "text"
smartquotes = False  # what stands in quotes is often typed

html_theme = "furo"
html_theme_options = {
    "light_css_variables": _tokens(":root"),
    "dark_css_variables": _tokens(':root[data-theme="dark"]'),
}
html_static_path = [str(_HERE / "theme"), str(_PORTAL / "favicon.svg")]
html_css_files = ["site.css"]
html_logo = html_favicon = str(_PORTAL / "favicon.svg")
html_copy_source = html_show_sourcelink = False
html_show_copyright = False
pygments_style = "friendly"
pygments_dark_style = "nord-darker"
