"""Cells of spreadsheets as they are displayed.

    number_format, cell_formats     a value and its format code become words
      format_tokens                 the sections of a format code
      number_section, date_format   those that show numbers, those that show dates and times
      locale_data                   names and separators of languages
    sheet_text                      rows as lines, headers and footers without their codes
    rk_number                       numbers as Excel's binary files keep them

Useful for: every reader of a spreadsheet that keeps values and format codes. Not useful for: formulas, which nobody
calculates, nor for OpenDocument, which keeps cells as they were displayed.
"""
