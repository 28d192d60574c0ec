"""Records that people and programs see, each described once.

Functions of `operate` return them, `--json` prints them, the interface for programs answers with them; its description
and the pages of reference are drawn from the types here.
"""
