"""A converter for files of translations (.po): each text beside its translation, without marks and comments."""

import re
from typing import Final

from cormorant.plugins import Extraction, ExtractionTask, Format, Limits, Unreadable

FORMAT: Final = Format(
    label="Translations",
    media_types=("text/x-gettext-translation",),
    extensions=("po", "pot"),
    converter="cormorant_po:convert",
    limits=Limits(cpu_s=10, wall_s=20.0, memory_bytes=256 * 1024 * 1024),
)
_STRING: Final = re.compile(r'^(?:msg(?:id|id_plural|str(?:\[\d\])?)[ \t]+)?"((?:[^"\\]|\\.)*)"', re.MULTILINE)
_ESCAPE: Final = re.compile(r"\\(.)")
_FIELD: Final = re.compile(r"^([A-Z][A-Za-z-]{1,40}):[ \t]*(\S.*)$", re.MULTILINE)


def convert(body: bytes, task: ExtractionTask) -> Extraction:
    """Read one file. It runs in a child process that can only compute, whatever stands in `body`."""
    written = body.decode(task.charset or "utf-8", "replace")
    if "msgid" not in written:
        raise Unreadable("it holds no translations")
    header, *entries = re.split(r"\n[ \t]*\r?\n", written)
    about = dict(_FIELD.findall(_said(header, joint="")))
    return Extraction(
        text="\n\n".join(_said(entry) for entry in entries),
        title=about.get("Project-Id-Version", ""),
        language=about.get("Language", "").lower(),
        attributes={"Author": about["Last-Translator"]} if "Last-Translator" in about else {},
    )


def _said(entry: str, joint: str = " ") -> str:
    """Return the strings of an entry without their quotes."""
    return joint.join(_ESCAPE.sub(_character, each) for each in _STRING.findall(entry))


def _character(escape: re.Match[str]) -> str:
    return {"n": "\n", "t": "\t"}.get(escape[1], escape[1])
