"""Do crawls of each kind of source end with what its place holds, whatever happens, and at which price?

    python -m bench.kinds rounds    random edits: is the index the place, and is only read what has changed?
    python -m bench.kinds killed    crawls that are killed, and servers that are restarted: lost, doubled
    python -m bench.kinds scale     many small documents: CPU, memory, and what an unchanged place costs
    python -m bench.kinds fresh     seconds from a change to a hit while `cormorant serve` runs
    python -m bench.kinds page      writes docs/reference/kinds-measured.md from what was measured so far

The places are those of the tests (tests/places): real servers where they are installed, fakes of a documented interface
elsewhere. Figures lie in bench/.cache/kinds, a file for each place and command.
"""
