from __future__ import annotations

import zipfile
from io import BytesIO

from cormorant.extract.job import ExtractionTask
from cormorant.extract.opendocument.embedded import odf_embedded_files
from tests.clocks import cpu_s
from tests.extract.opendocument.packages import content, flat, manifest, odf, read

TYPE = "application/vnd.oasis.opendocument."
TASK = ExtractionTask("", "https://h.example/x")
BODY = "<text:p>outer</text:p>"


def test_embedded_documents_are_files_of_their_own_and_charts_are_not() -> None:
    types = "".join(
        f'<manifest:file-entry manifest:full-path="{name}/" manifest:media-type="{TYPE}{kind}"/>'
        for name, kind in (("Object 1", "spreadsheet"), ("Object 2", "chart"), ("Object 3", "formula"))
    )
    parts = {f"Object {number}/content.xml": content("<text:p>inner</text:p>") for number in (1, 2, 3)}
    parts |= {"Object 1/styles.xml": "<a/>", "META-INF/manifest.xml": manifest(types)}
    made = odf(BODY, **parts)
    files = list(odf_embedded_files(made, TASK))
    assert [(file.path, file.mime, file.refusal) for file in files] == [
        ("Object 1", "application/vnd.oasis.opendocument.spreadsheet", "")
    ]
    assert read(files[0].body).text == "inner"
    assert zipfile.ZipFile(BytesIO(files[0].body)).namelist() == ["mimetype", "content.xml", "styles.xml"]
    assert files == list(odf_embedded_files(made, TASK))  # a document that did not change is not read again
    assert "inner" not in read(made).text


def test_a_document_in_an_object_is_a_file_and_a_picture_is_none() -> None:
    entries = "".join(
        f'<manifest:file-entry manifest:full-path="{name}" manifest:media-type="application/vnd.sun.star.oleobject"/>'
        for name in ("Obj1", "Obj2")
    )
    made = odf(BODY, Obj1="PK and so on", Obj2="a picture", **{"META-INF/manifest.xml": manifest(entries)})
    assert [(file.path, file.body) for file in odf_embedded_files(made, TASK)] == [("Obj1", b"PK and so on")]


def test_an_object_that_is_damaged_says_so() -> None:
    entry = (
        '<manifest:file-entry manifest:full-path="Object 4" manifest:media-type="application/vnd.sun.star.oleobject"/>'
    )
    made = odf(BODY, **{"Object 4": "", "META-INF/manifest.xml": manifest(entry)})
    assert [file.refusal for file in odf_embedded_files(made, TASK)] == ["it is damaged"]


def test_a_document_within_an_embedded_document_is_part_of_that() -> None:
    parts = {f"{place}/content.xml": content("<text:p>inner</text:p>") for place in ("a", "a/b", "c/d")}
    files = list(odf_embedded_files(odf(BODY, **parts), TASK))
    assert [file.path for file in files] == ["a", "c/d"]
    assert zipfile.ZipFile(BytesIO(files[0].body)).namelist() == ["mimetype", "content.xml", "b/content.xml"]


def test_documents_in_a_flat_document_are_files() -> None:
    inner = flat("<text:p>inner</text:p>").decode().partition("?>")[2]
    inner = inner.replace("<office:document ", f'<office:document office:mimetype="{TYPE}text" ')
    chart = inner.replace(f"{TYPE}text", f"{TYPE}chart")
    frames = "".join(
        f'<draw:frame draw:name="Object{number}"><draw:object>{made}</draw:object></draw:frame>'
        for number, made in enumerate((inner, chart, "<office:binary-data>?</office:binary-data>"))
    )
    made = flat(f"<text:p>x{frames}</text:p>")
    files = list(odf_embedded_files(made, TASK))
    assert [(file.path, file.mime) for file in files] == [("Object0", f"{TYPE}text")]
    assert read(files[0].body).text == "inner"
    assert read(made).text == "x"
    assert list(odf_embedded_files(flat(BODY), TASK)) == []


def test_documents_without_end_cost_little() -> None:
    parts = {f"{'a/' * (number % 50)}{number}/content.xml": "" for number in range(3_000)}
    made = odf(BODY, **parts)
    assert cpu_s(lambda: list(odf_embedded_files(made, TASK)), 1) < 5
