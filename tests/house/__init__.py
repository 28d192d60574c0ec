"""Does the house stand as it was drawn?

Each check is a pure function from what was read (modules, text, names) to a list of findings. It has two tests: one
plants the fault and sees it found, one reads this project and finds nothing.
"""
