"""Sheets of Office Open XML workbooks, in XML and in binary form.

    workbook_state                  text, links, styles and strings of a workbook, and the parts beside a sheet
    worksheet, string_items         a sheet in XML, texts in runs
    binary_sheet, binary_records    a sheet of an XLSB workbook
    spreadsheet_2003                a workbook of Excel 2003 in one XML file

Useful for: `extract.ooxml.spreadsheet` and `extract.ooxml.binary_workbook`. Not useful for: tables in other documents.
"""
