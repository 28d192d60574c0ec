"""Do the tags of a page cost no more than they may?"""

from __future__ import annotations

import pypdfium2
import pytest

from cormorant.extract.pdf.structure_tags import AlternativeTexts
from tests.extract.pdf.pdf_writer import FONT, pdf_file, shown, stream


def figures(count: int) -> bytes:
    """Return a PDF of one page with this many figures, each with a description."""
    numbers = " ".join(f"{100 + number} 0 R" for number in range(count))
    content = " ".join(f"/Figure << /MCID {number} >> BDC {shown('x')} EMC" for number in range(count))
    objects: dict[int, str | bytes] = {
        1: "<< /Type /Catalog /Pages 2 0 R /MarkInfo << /Marked true >> /StructTreeRoot 6 0 R >>",
        2: "<< /Type /Pages /Kids [3 0 R] /Count 1 >>",
        3: "<< /Type /Page /Parent 2 0 R /MediaBox [0 0 600 800] /Contents 4 0 R /StructParents 0"
        " /Resources << /Font << /F1 5 0 R >> >> >>",
        4: stream(content),
        5: FONT,
        6: f"<< /Type /StructTreeRoot /K [7 0 R] /ParentTree << /Nums [0 [{numbers}]] >> >>",
        7: f"<< /Type /StructElem /S /Document /P 6 0 R /K [{numbers}] >>",
    }
    for number in range(count):
        objects[100 + number] = (
            f"<< /Type /StructElem /S /Figure /P 7 0 R /Pg 3 0 R /K {number} /Alt (Ship {number} at the quay) >>"
        )
    return pdf_file(objects)


@pytest.mark.parametrize(("limit", "found"), [(100, 4), (5, 4), (3, 2), (1, 0), (0, 0)])
def test_elements_beyond_the_limit_are_not_looked_at(limit: int, found: int) -> None:
    with pypdfium2.PdfDocument(figures(4)) as document:
        texts = list(AlternativeTexts(limit).of_page(document[0]))
    assert texts == [f"Ship {number} at the quay" for number in range(found)]
