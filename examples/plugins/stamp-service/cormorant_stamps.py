"""A document service: drafts are not found, and of approved documents it is known who approved them."""

import re
from typing import Final

from pydantic import Field

from cormorant.plugins import DocumentService, DocumentVeto, ServiceDocument, ServiceSettings

_APPROVED: Final = re.compile(r"^Approved by:? (\S.{0,80})$", re.MULTILINE)


class StampSettings(ServiceSettings):
    """Parameters of `stamps`."""

    draft: str = Field(default="DRAFT", min_length=1, description="A line of its own that drafts begin with.")


class Stamps(DocumentService[StampSettings]):
    """Made once for each document, in a child process that can only compute."""

    about = "Drafts are left out; who approved a document is an attribute."
    Settings = StampSettings

    def process(self, document: ServiceDocument) -> ServiceDocument | DocumentVeto:
        """Return the document with its attributes, or a veto."""
        if document.text.split("\n", 1)[0].strip() == self.settings.draft:
            return DocumentVeto(f"it is stamped {self.settings.draft}")
        approved = _APPROVED.findall(document.text)
        if not approved:
            return document
        return document.changed(attributes={**document.attributes, "Approver": tuple(dict.fromkeys(approved))})
