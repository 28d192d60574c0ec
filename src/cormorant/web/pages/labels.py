"""Labels of types, languages and ages on pages."""

from __future__ import annotations

from typing import Final

from cormorant.plugins import format_label
from cormorant.search.query.type_names import NAMES

LISTS: Final = {"source": "Source", "site": "Site", "type": "Type", "language": "Language", "changed": "Changed"}
"""Lists from which results are narrowed."""
AGES: Final = {"week": "Past week", "month": "Past month", "year": "This year"}
TYPES: Final = {
    "page": "Web page", "pdf": "PDF", "word": "Word", "sheet": "Spreadsheet", "slides": "Slides", "drawing": "Drawing",
    "message": "Message", "book": "Book", "text": "Text", "xml": "XML",
}  # fmt: skip
_OF_MIME: Final = {mime: TYPES[name] for name, several in NAMES.items() if name in TYPES for mime in several}
_UNNAMED: Final = "Document"
LANGUAGES: Final = {
    "ar": "Arabic", "bg": "Bulgarian", "ca": "Catalan", "cs": "Czech", "da": "Danish", "de": "German", "el": "Greek",
    "en": "English", "es": "Spanish", "et": "Estonian", "eu": "Basque", "fa": "Persian", "fi": "Finnish",
    "fr": "French", "ga": "Irish", "he": "Hebrew", "hi": "Hindi", "hr": "Croatian", "hu": "Hungarian",
    "hy": "Armenian", "id": "Indonesian", "it": "Italian", "ja": "Japanese", "ko": "Korean", "lt": "Lithuanian",
    "lv": "Latvian", "nb": "Norwegian", "ne": "Nepali", "nl": "Dutch", "nn": "Norwegian Nynorsk", "no": "Norwegian",
    "pl": "Polish", "pt": "Portuguese", "ro": "Romanian", "ru": "Russian", "sk": "Slovak", "sl": "Slovenian",
    "sr": "Serbian", "sv": "Swedish", "ta": "Tamil", "th": "Thai", "tr": "Turkish", "uk": "Ukrainian",
    "und": "Not known", "vi": "Vietnamese", "yi": "Yiddish", "zh": "Chinese",
}  # fmt: skip


def label(name: str, value: str) -> str:
    """Return the label of a value of a list; a type without a label is shown as a media type."""
    if name == "type" and "/" in value:
        return known if (known := of_mime(value)) != _UNNAMED else value
    return {"type": TYPES, "language": LANGUAGES, "changed": AGES}.get(name, {}).get(value, value)


def spoken(tag: str) -> str:
    """Return the name of a language, with its region if the tag has one."""
    language, _, region = tag.partition("-")
    name = LANGUAGES.get(language, language)
    return f"{name} ({region.upper()})" if region else name


def of_mime(mime: str) -> str:
    """Return the label of a media type: from the list of types, from a plug-in, or its own short name."""
    if known := _OF_MIME.get(mime) or format_label(mime):
        return known
    short = mime.partition("/")[2]
    return short.upper() if short.isalnum() and len(short) <= 4 else _UNNAMED
