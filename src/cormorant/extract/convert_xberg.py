"""Conversion of a document with xberg, run in the sandboxed child process.

It is separate from `convert_office`, since the library takes another 30 MB, which each fork would have to copy.
"""

from __future__ import annotations

from cormorant.extract.convert import convert_declared, load_converters
from cormorant.extract.detect.format import XBERG_SERVER

load_converters(XBERG_SERVER)
convert = convert_declared
