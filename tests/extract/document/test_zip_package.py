from __future__ import annotations

import pytest

from cormorant.extract.document.zip_package import ZipPackage
from cormorant.extract.errors import Protected
from tests.extract.writers import zipped


def test_the_start_of_a_part_is_read_up_to_a_limit() -> None:
    package = ZipPackage(zipped({"Sheet.xml": "0123456789"}))
    assert package.read_start("sheet.XML", 4) == b"0123"
    assert package.read_start("sheet.xml", 400) == b"0123456789"
    assert package.read_start("other.xml", 4) is None


def test_a_damaged_part_has_no_start_and_an_encrypted_one_is_protected() -> None:
    body = zipped({"a": "0123456789" * 20})
    assert ZipPackage(body.replace(body[31:40], bytes(9))).read_start("a", 400) is None
    locked = body.replace(b"PK\x01\x02\x14\x03\x14\0\0\0", b"PK\x01\x02\x14\x03\x14\0\1\0")
    with pytest.raises(Protected):
        ZipPackage(locked).read_start("a", 400)
