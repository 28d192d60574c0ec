"""Excel's binary files up to 2003: records and all that is made of them.

    records      kinds, sizes, texts that go on in the next record
    cells        numbers, texts and results of formulas, into rows
    objects      comments, text boxes, charts, headers, prompts
    links        hyperlinks
    encryption   workbooks that Excel opens without a question though they are encrypted

Useful for: `extract.ole.excel`. Not useful for: XLSB, whose records are others.
"""
