"""Bounds of numeric settings.

The types of numeric settings, each with its least and greatest sensible value.

None of them is infinite or NaN, so stored values can be written as JSON, computed with, and passed to databases and
libraries. The reference page and every error name the bounds.
"""

from __future__ import annotations

from typing import Annotated, Final

from pydantic import Field

DAY_S: Final = 86_400
"""A server with a longer response time or delay is visited by the next run."""
YEAR_S: Final = 365 * DAY_S
MOST_COUNT: Final = 2**31 - 1
"""The greatest value of an integer column in every database."""
NUMBERS: Final = range(1, MOST_COUNT + 1)
"""Valid numbers of rows; a database may refuse to compare others."""
MOST_BYTES: Final = 10**18
"""An exabyte, which 64 bits hold."""

Seconds = Annotated[float, Field(ge=0, le=100 * YEAR_S)]
"""A waiting or retention time in seconds, which may be meant as for ever."""
Delay = Annotated[float, Field(ge=0, le=DAY_S)]
"""Seconds from one request to the next."""
Timeout = Annotated[float, Field(gt=0, le=DAY_S)]
"""Seconds that one request may take; libcurl counts milliseconds in 32 bits on some machines."""
Minutes = Annotated[float, Field(gt=0, le=YEAR_S // 60)]
"""The longest time of a run, in minutes."""
Count = Annotated[int, Field(ge=1, le=MOST_COUNT)]
"""A number of things."""
Size = Annotated[int, Field(ge=1, le=MOST_BYTES)]
"""Bytes."""
SizeOrNone = Annotated[int, Field(ge=0, le=MOST_BYTES)]
"""Bytes; 0 for no limit, or for nothing."""
