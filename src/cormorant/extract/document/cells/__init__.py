"""Cells of spreadsheets as they are displayed.

    number_format, cell_formats     a value and its format code become text
      format_tokens                 the sections of a format code
      number_section, date_format   those that show numbers, those that show dates and times
      locale_data                   names and separators of languages
    sheet_text                      rows as lines, headers and footers without their codes
    rk_number                       numbers as Excel's binary files keep them

Useful for: every reader of a spreadsheet that stores values and format codes. Not useful for: formulas, which are not
calculated, and OpenDocument, which stores cells as displayed.
"""
