"""The places of a document where text can stand, each with the word that the samples have there.

A word is found when it stands in the answer as a whole word, so one that is glued to another is not. Words of several
forms (a number as displayed and as stored) are patterns.
"""

from __future__ import annotations

import re
from enum import Enum
from typing import Final, NamedTuple


class Kind(Enum):
    """The condition that makes an answer right for a place."""

    TEXT = "a word of the text"
    ONCE = "a word of the text, one time"
    ATTRIBUTE = "a word of the title or of an attribute"
    LINK = "a part of a link's address"
    APART = "several words, none glued to another"
    PATTERN = "a pattern that the text has"
    ABSENT = "a word that no part of the answer has"


class Place(NamedTuple):
    """A place, the condition for it, and its words, in small letters."""

    name: str
    kind: Kind
    words: tuple[str, ...]


_TEXT: Final = """
body, heading, first header: firstheader, left header: leftheader, header, header in the middle: headermiddle,
header on the right: headerright, footer, footnote, endnote, comment, threaded comment: threadedcomment,
reply to a comment: threadedreply, shape, group of shapes: group, table, nested table: nestedtable,
cell: cell, table heading: tableheading, table column's name: tablecolumn,
table's description: tabledescription, table's alt title: tablecaption, chart title: charttitle,
chart subtitle: chartsubtitle, chart axis: chartaxis, chart series: chartseries,
chart category: chartcategory, chart label: chartlabel, chart sheet: chartsheet, SmartArt: smartart,
formula (mathematics): math, form field: formfield, form control: formcontrol, chosen value: choice,
button label: buttonlabel, check box label: checkboxlabel, content control: contentcontrol,
chosen value in a content control: sdtchoice, tracked insertion: insertion, moved-to text: movedto,
hidden text: hiddentext, hidden section: hiddensection, hidden row: hiddenrow, hidden column: hiddencolumn,
hidden sheet: hiddensheet, very hidden sheet: veryhiddensheet, hidden sheet's name: hiddensheetname,
hidden slide: hiddenslide, hidden layer: hiddenlayer, merged cell: mergedcell, inline string: inlinestring,
formula result: formularesult, sheet name: sheetname, defined name: definedname,
validation prompt: validation, validation prompt's title: prompttitle, validation error: validationerror,
validation error's title: errortitle, validation list: validationlist, alt text: alttext, alt title: alttitle,
alt text of a picture: picturealttext, alt text of old Word: vmlalttext, alt text of an image map: mapalttext,
text box of old Word: vmltextbox, watermark, list item: listitem, list header: listheader,
link text: linktext, link text of a field: fieldlinktext, field result: fieldresult,
simple field: simplefield, word in pieces: pieces, soft hyphen: soft, ruby base: rubybase,
ruby text: rubytext, section, word before a note: noted, smart tag: smarttag, custom XML run: customxmlrun,
text of one direction: bidi, imported chunk: importedchunk, slide title: slidetitle, master text: mastertext,
layout text: layouttext, alternate content: alternate, speaker notes: speakernotes, notes header: notesheader,
fixed date: fixeddate, attachment name: attachmentname, attachment text: attachmenttext,
nested attachment: nestedattachment, outline entry: outline, contents entry: contentsentry,
index title: indextitle, index entry: indexentry, numbered paragraph: numberedparagraph,
second chapter: secondchapter, drawn text: svgtext, annotation, free text annotation: freetext,
remark on marked text: markup, actual text: actualtext, invisible text: invisible, rotated text: rotated,
form XObject: formxobject, hyphen at line end: softline, object result: objectresult,
Unicode destination: unicodeonly, sender: sender, recipient: recipient, copy recipient: copied,
plain body: plainbody, HTML body: htmlbody, RTF body: rtfbody, invitation: invitation,
forwarded mail: forwarded, member name: membername, member text: membertext, member in a folder: foldermember,
member with an accent: accentmember, member of a nested archive: nestedmember,
text in a metafile: drawntext
"""
_ATTRIBUTES: Final = """
property title: title, property subject: subject, property author: author, second author: secondauthor,
property keywords: keyword, property description: description, property category: category,
property company: company, custom property: custom, publisher, metadata title: xmptitle
"""
_APART: Final = """
tab: tab, line break: break, carriage return: return, aligned tab: ptab, several spaces: spaces,
neighbouring cells: cell, text box anchor: anchor, escaped line break: escape, columns: column,
wide kerning: kern, paragraphs: paragraph
"""
_LINKS: Final = (
    "link target: linktarget, link target of a field: fieldlinktarget, link target of an image map: maptarget"
)
_ABSENT: Final = """
tracked deletion: deletion, moved-from text: movedfrom, field code: fieldcode, formula code: formulacode,
style name: stylename, shape name: shapename, frame name: framename, master prompt: masterprompt,
layout prompt: layoutprompt, notes prompt: notesprompt, placeholder prompt: placeholderprompt,
SmartArt prompt: smartartprompt, layout name: layoutname, theme name: themename, font name: fontname,
generator, building block: buildingblock, unused string: unusedstring, bookmark name: bookmarkname,
unknown destination: unknowndestination, document variable: docvar, index template: indextemplate,
picture file: picturefile, script, style sheet: style, control tag: controltag, control name: controlname,
MIME boundary: boundary, other bodies' markup: markupname
"""
_PATTERNS: Final = {
    "list number": r"§ ?7(?!\d)",
    "percent as displayed": r"73[.,]25\s?%",
    "percent as stored": r"0\.7325(?!\d)",
    "date as displayed": r"14\.03\.2026",
    "date as stored": r"2026-03-14",
    "built-in date as stored": r"2027-11-23",
    "number as displayed": r"7,341\.58(?!\d)",
    "number as stored": r"7341\.58(?!\d)",
    "time as displayed": r"14\.03\.2026 14:33",
    "number with unit": r"812\.50 quokkaunit",
    "plain number": r"(?<![\d.])58213(?!\d)",
    "letters by code": r"quokkaucäöunicode",
    "letters by byte": r"quokkahexäöhex",
    "letters of another code page": "quokkacyr\u0434\u043e\u043c",
}
_NOISE: Final = re.compile(
    r"click to edit|\[image|\[\^|\[cmt|\[(?:foot|end)noteref|!\[|mergeformat|\bhyperlink \"|\bformtext\b|picture 1\b"
    r"|automatically generated|heading_20|text_20|_x000[ad]_|data:image|\\bin\b|\[#|<number>"
    r"|powerpluswatermark|_xlnm|\btextbox \d"
)
NOISE: Final = Place("generated noise", Kind.ABSENT, ())
"""The place of phrases that a program makes up. Every sample has it."""
WORD: Final = "quokka"


def has_noise(text: str) -> bool:
    """Say whether a text, in small letters, has a phrase that a program made up."""
    return _NOISE.search(text) is not None


def _listed(table: str, kind: Kind) -> dict[str, Place]:
    """Return the places of a table; an entry is a name and the end of its word, where that is another."""
    found = {}
    for entry in table.replace("\n", " ").split(","):
        name, _, end = entry.strip().partition(":")
        end = (end or name).strip()
        words = (WORD + end + "one", WORD + end + "two") if kind is Kind.APART else (WORD + end,)
        found[name] = Place(name, kind, words)
    return found


PLACES: Final[dict[str, Place]] = {
    **_listed(_TEXT, Kind.TEXT),
    "text box": Place("text box", Kind.ONCE, ("quokkatextbox",)),
    **_listed(_ATTRIBUTES, Kind.ATTRIBUTE),
    **_listed(_APART, Kind.APART),
    "hard hyphen": Place("hard hyphen", Kind.APART, ("quokkahard", "hyphened")),
    **_listed(_LINKS, Kind.LINK),
    "notice of threads": Place("notice of threads", Kind.ABSENT, ("your version of excel",)),
    **{name: Place(name, Kind.PATTERN, (pattern,)) for name, pattern in _PATTERNS.items()},
    **_listed(_ABSENT, Kind.ABSENT),
}
"""All places by name, in the order of the tables."""
