"""Bounds of numeric settings.

The numbers that settings take, each with the least and the most that makes sense of it.

None of them is infinite or no number at all, so what is kept can be written as JSON, counted with, and handed to
databases and libraries. The reference page and every refusal tell the bounds.
"""

from __future__ import annotations

from typing import Annotated, Final

from pydantic import Field

DAY_S: Final = 86_400
"""A server that takes longer to answer, or is to be left alone for longer, is visited by the next run."""
YEAR_S: Final = 365 * DAY_S
MOST_COUNT: Final = 2**31 - 1
"""What a column for numbers takes in every database."""
NUMBERS: Final = range(1, MOST_COUNT + 1)
"""The numbers that a row may have; a database may refuse to compare its own with others."""
MOST_BYTES: Final = 10**18
"""An exabyte, which 64 bits hold."""

Seconds = Annotated[float, Field(ge=0, le=100 * YEAR_S)]
"""How long something is waited for or kept, which may be meant as for ever."""
Delay = Annotated[float, Field(ge=0, le=DAY_S)]
"""Seconds from one request to the next."""
Timeout = Annotated[float, Field(gt=0, le=DAY_S)]
"""Seconds that one request may take; libcurl counts milliseconds in 32 bits on some machines."""
Minutes = Annotated[float, Field(gt=0, le=YEAR_S // 60)]
"""How long a run may take."""
Count = Annotated[int, Field(ge=1, le=MOST_COUNT)]
"""How many of something there may be."""
Size = Annotated[int, Field(ge=1, le=MOST_BYTES)]
"""Bytes."""
SizeOrNone = Annotated[int, Field(ge=0, le=MOST_BYTES)]
"""Bytes; 0 where there is no limit, or nothing."""
