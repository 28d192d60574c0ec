"""Which references of a page are links, by an administrator's choice?"""

from __future__ import annotations

from pydantic import Field

from cormorant.model.content import LinkKind
from cormorant.model.settings.source import Settings


class LinkSettings(Settings):
    """Settings about what counts as a link."""

    links: tuple[LinkKind, ...] = Field(
        default=(),
        description="References that count as links besides those that readers follow: forms, posts, srcset, media, "
        "resources, hints, text, or all; may repeat.",
    )
