"""Presentations by python-pptx."""

# mypy: disable-error-code="import-not-found, import-untyped"
from __future__ import annotations

from pathlib import Path
from typing import Any


def with_python_pptx(path: Path) -> tuple[str, ...]:
    """Write a presentation of two slides, one of them hidden."""
    from pptx import Presentation
    from pptx.util import Inches

    show = Presentation()
    slide = show.slides.add_slide(show.slide_layouts[1])
    slide.shapes.title.text = "quokkaslidetitle"
    slide.placeholders[1].text = "quokkabody\nsecond line"
    box = slide.shapes.add_textbox(Inches(1), Inches(5), Inches(4), Inches(1))
    box.text_frame.text = "quokkatextbox"
    more = box.text_frame.add_paragraph()
    more.text = "quokkabreakone\vquokkabreaktwo quokkatabone\tquokkatabtwo"
    link = more.add_run()
    link.text, link.hyperlink.address = " quokkalinktext", "https://example.org/quokkalinktarget"
    group = slide.shapes.add_group_shape()
    group.shapes.add_textbox(Inches(5), Inches(5), Inches(3), Inches(1)).text_frame.text = "quokkagroup"
    table = slide.shapes.add_table(2, 2, Inches(1), Inches(6), Inches(4), Inches(1)).table
    table.cell(0, 0).text, table.cell(0, 1).text, table.cell(1, 0).text = (
        "quokkacellone",
        "quokkacelltwo",
        "quokkatable",
    )
    _add_chart(slide)
    slide.notes_slide.notes_text_frame.text = "quokkaspeakernotes"
    hidden = show.slides.add_slide(show.slide_layouts[5])
    hidden.shapes.title.text = "quokkahiddenslide"
    hidden.element.set("show", "0")
    about = show.core_properties
    about.title, about.subject, about.author = "quokkatitle", "quokkasubject", "Quokkaauthor"
    about.keywords, about.comments, about.category = "quokkakeyword", "quokkadescription", "quokkacategory"
    show.save(str(path))
    return (
        "slide title", "body", "text box", "line break", "tab", "link text", "link target", "group of shapes", "table",
        "neighbouring cells", "chart category", "chart series", "chart title", "chart axis", "speaker notes",
        "hidden slide", "property title", "property subject", "property author", "property keywords",
        "property description", "property category",
    )  # fmt: skip


def _add_chart(slide: Any) -> None:
    from pptx.chart.data import CategoryChartData
    from pptx.enum.chart import XL_CHART_TYPE
    from pptx.util import Inches

    data = CategoryChartData()
    data.categories = ["quokkachartcategory"]
    data.add_series("quokkachartseries", (3,))
    frame = slide.shapes.add_chart(XL_CHART_TYPE.COLUMN_CLUSTERED, Inches(6), Inches(1), Inches(3), Inches(3), data)
    frame.chart.has_title = True
    frame.chart.chart_title.text_frame.text = "quokkacharttitle"
    frame.chart.category_axis.has_title = True
    frame.chart.category_axis.axis_title.text_frame.text = "quokkachartaxis"
