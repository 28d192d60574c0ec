"""Labels of types, languages and ages on pages."""

from __future__ import annotations

import re
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
_SHEET: Final = "application/vnd.ms-excel"
_SLIDES: Final = "application/vnd.ms-powerpoint"
_WORD: Final = "application/vnd.ms-word"
_OPEN: Final = "application/vnd.oasis.opendocument"
_OFFICE: Final = "application/vnd.openxmlformats-officedocument"
TYPES_ALONE: Final = {
    "application/atom+xml": "Atom feed", "application/gzip": "Gzip archive", "application/javascript": "JavaScript",
    "application/json": "JSON", "application/ld+json": "JSON-LD",
    "application/octet-stream": "Binary file", "application/postscript": "PostScript",
    "application/rdf+xml": "RDF", "application/rss+xml": "RSS feed", "application/sql": "SQL",
    "application/toml": "TOML", "application/x-7z-compressed": "7z archive", "application/x-bzip2": "Bzip2 archive",
    "application/x-csh": "C shell script", "application/x-gzip": "Gzip archive", "application/x-httpd-php": "PHP",
    "application/x-latex": "LaTeX", "application/x-ndjson": "JSON lines", "application/x-perl": "Perl",
    "application/x-rar-compressed": "RAR archive", "application/x-sh": "Shell script",
    "application/x-subrip": "Subtitles", "application/x-tar": "Tar archive", "application/x-tcl": "Tcl",
    "application/x-tex": "TeX", "application/x-texinfo": "Texinfo", "application/x-troff": "Troff",
    "application/x-troff-man": "Manual page", "application/x-xz": "XZ archive", "application/yaml": "YAML",
    "application/zip": "ZIP", "application/zstd": "Zstandard archive", "audio/mpeg": "MP3", "image/x-icon": "Icon",
    "text/calendar": "Calendar", "text/css": "CSS", "text/javascript": "JavaScript",
    "text/prs.fallenstein.rst": "reStructuredText", "text/rtf": "Rich Text",
    "text/tab-separated-values": "Tab-separated values", "text/troff": "Troff", "text/vcard": "Contact",
    "text/vtt": "Web subtitles", "text/x-asm": "Assembler", "text/x-c": "C", "text/x-c++": "C++",
    "text/x-c++hdr": "C++ header", "text/x-c++src": "C++", "text/x-chdr": "C header", "text/x-csharp": "C#",
    "text/x-csrc": "C", "text/x-diff": "Patch", "text/x-java-source": "Java", "text/x-rst": "reStructuredText",
    "text/x-script.python": "Python", "text/x-sgml": "SGML", "text/x-sh": "Shell script",
    "text/x-shellscript": "Shell script", "text/x-sql": "SQL", "text/x-tex": "TeX", "text/x-vcard": "Contact",
    f"{_WORD}.document.macroenabled.12": "Word with macros",
    f"{_WORD}.template.macroenabled.12": "Word template with macros",
    f"{_OFFICE}.wordprocessingml.template": "Word template",
    f"{_SHEET}.sheet.macroenabled.12": "Excel with macros", f"{_SHEET}.template.macroenabled.12": "Excel template",
    f"{_OFFICE}.spreadsheetml.template": "Excel template", f"{_SLIDES}.presentation.macroenabled.12":
    "PowerPoint with macros", f"{_SLIDES}.slideshow.macroenabled.12": "PowerPoint show with macros",
    f"{_SLIDES}.template.macroenabled.12": "PowerPoint template with macros",
    f"{_OFFICE}.presentationml.template": "PowerPoint template",
    f"{_OFFICE}.presentationml.slideshow": "PowerPoint show", f"{_OPEN}.text-template": "Text template",
    f"{_OPEN}.text-master": "Master document", f"{_OPEN}.spreadsheet-template": "Spreadsheet template",
    f"{_OPEN}.presentation-template": "Slides template", f"{_OPEN}.graphics-template": "Drawing template",
    f"{_OPEN}.formula": "Formula",
}  # fmt: skip
"""Names of media types that belong to none of TYPES."""
_SOURCE_TEXT: Final = re.compile(r"text/x-([a-z]{2,12})")
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
    """Return the label of a media type: from the lists of types, from its format, or its own short name."""
    if known := _OF_MIME.get(mime) or TYPES_ALONE.get(mime) or format_label(mime):
        return known
    if language := _SOURCE_TEXT.fullmatch(mime):
        return language[1].capitalize()
    short = mime.partition("/")[2]
    return short.upper() if short.isalnum() and len(short) <= 4 else _UNNAMED
