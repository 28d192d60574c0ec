"""Signatures of version 4, by the examples that Amazon publishes for S3."""

from __future__ import annotations

import pytest

from cormorant.sources.s3.signer import AwsKey, signed_headers

KEY = AwsKey("AKIAIOSFODNN7EXAMPLE", "wJalrXUtnFEMI/K7MDENG/bPxRfiCYEXAMPLEKEY")
NOW = 1369353600.0
"""2013-05-24T00:00:00Z."""
PLACE = "https://examplebucket.s3.amazonaws.com"


@pytest.mark.parametrize(
    ("url", "headers", "signature"),
    [
        (
            f"{PLACE}/test.txt",
            {"Range": "bytes=0-9"},
            "f0e8bdb87c964420e857bd35b5d6ed310bd44f0170aba48dd91039c6036bdb41",
        ),
        (f"{PLACE}/?lifecycle", {}, "fea454ca298b7da1c68078a5d1bdbfbbe0d65c699e0f91ac7a200a0136783543"),
        (f"{PLACE}/?max-keys=2&prefix=J", {}, "34b48302e7b5fa45bde8084f4b7868a86f0a534bc59db6670ed5711ef69dc6f7"),
    ],
)
def test_examples_of_the_reference(url: str, headers: dict[str, str], signature: str) -> None:
    made = signed_headers(KEY, "us-east-1", url, NOW, headers)
    assert made["authorization"].endswith(f"Signature={signature}")
    assert made["x-amz-date"] == "20130524T000000Z"


def test_the_order_of_a_query_does_not_matter() -> None:
    one, other = (signed_headers(KEY, "us-east-1", f"{PLACE}/?{query}", NOW) for query in ("a=1&b=%20", "b=%20&a=1"))
    assert one == other


def test_a_token_is_sent_and_signed() -> None:
    made = signed_headers(KEY._replace(token="session"), "us-east-1", f"{PLACE}/", NOW)
    assert made["x-amz-security-token"] == "session"
    assert "x-amz-security-token" in made["authorization"]


def test_a_secret_shows_nowhere() -> None:
    assert KEY.secret not in repr(KEY)
    assert KEY.secret not in str(signed_headers(KEY, "us-east-1", f"{PLACE}/", NOW))
