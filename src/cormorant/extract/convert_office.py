"""Conversion of an office document, run in the sandboxed child process.

It is separate from `convert`, since the readers of office documents take some 30 MB.
"""

from __future__ import annotations

from cormorant.extract.convert import convert_declared, load_converters
from cormorant.extract.detect.format import OFFICE_SERVER

load_converters(OFFICE_SERVER)
convert = convert_declared
