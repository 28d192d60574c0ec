"""How does one run go, from start to end?

    run       begins: discover, admit ............................ one at a time for a source
    worker    lease sites -> visit -> report ..................... many processes
    visit     gates -> fetch -> extract -> outcome
    gates     what of a page's links may be followed
    dispatch  cache first, then one transaction a batch
    provide   stream -> receivers, each at its own place ......... one process
    sweep     what was left unseen; the brake
    links     out-links become in-links

Beside the story: `convert` (inline, or in a limited child) and `batch` (which outcome touches which table).

Invariants: this package holds order, never policy: an `if` about a kind, a format or a back end there is a bug; of all
packages only this one and `operate` open transactions; no file of the story is longer than one sitting (100 lines).
"""
