"""An S3 store of a test: objects in memory, listed in pages, to requests with a right signature of version 4.

Written from the reference of Amazon S3 (GetObject, ListObjectsV2, ListObjectVersions, Error Responses, Signature
Version 4), apart from the code that it tests.
"""

from __future__ import annotations

import hashlib
import hmac
import re
from collections.abc import Iterator
from contextlib import contextmanager
from datetime import UTC, datetime
from http.server import BaseHTTPRequestHandler, ThreadingHTTPServer
from threading import Thread
from typing import Any
from urllib.parse import parse_qsl, quote, quote_plus, unquote, urlsplit

BUCKET, REGION, ACCESS_KEY, SECRET_KEY = "papers", "eu-central-1", "AKIDEXAMPLE", "wJalrXUtnFEMI/K7MDENG+bPxRfiCY"
_AUTHORIZATION = re.compile(
    r"AWS4-HMAC-SHA256 Credential=(?P<key>\w+)/(?P<day>\d{8})/(?P<region>[\w-]+)/s3/aws4_request, *"
    r"SignedHeaders=(?P<names>[\w;-]+), *Signature=(?P<signature>[0-9a-f]{64})"
)


class S3Store:
    """Objects by their keys. `page` is how many a listing has at most; `error` is answered to everything, if set."""

    def __init__(self, port: int) -> None:
        self.port, self.page, self.error = port, 1_000, ""
        self.objects: dict[str, bytes] = {}
        self.older: dict[str, list[tuple[str, bytes | None]]] = {}
        """Older versions by their keys, the newest first; None for one that says that the object was deleted."""
        self.requests: list[str] = []
        self.cut = False

    @property
    def url(self) -> str:
        return f"http://127.0.0.1:{self.port}"

    def settings(self, **more: object) -> dict[str, Any]:
        return {
            "url": f"s3://{BUCKET}/docs", "endpoint": self.url, "region": REGION, "access_key": ACCESS_KEY,
            "secret_key": "secret:k", **more,
        }  # fmt: skip

    def listing(self, query: dict[str, str]) -> str:
        """One page of ListObjectsV2."""
        keys = [each for each in sorted(self.objects) if each.startswith(query.get("prefix", ""))]
        start = int(query.get("continuation-token", "0"))
        page = keys[start : start + min(self.page, int(query["max-keys"]))]
        rows = "".join(
            f"<Contents><Key>{quote_plus(key, safe='/')}</Key><LastModified>2026-11-28T12:00:00.000Z</LastModified>"
            f"<ETag>&quot;{hashlib.md5(self.objects[key]).hexdigest()}&quot;</ETag>"
            f"<Size>{len(self.objects[key])}</Size></Contents>"
            for key in page
        )
        more = start + len(page) < len(keys)
        token = f"<NextContinuationToken>{start + len(page)}</NextContinuationToken>" if more and not self.cut else ""
        return (
            '<?xml version="1.0" encoding="UTF-8"?><ListBucketResult xmlns="http://s3.amazonaws.com/doc/2006-03-01/">'
            f"<EncodingType>url</EncodingType><IsTruncated>{str(more).lower()}</IsTruncated>{token}{rows}"
            "</ListBucketResult>"
        )

    def versions(self, query: dict[str, str]) -> str:
        """One page of ListObjectVersions: by key, the newest version first, marks of a deletion among them."""
        every = [
            (key, version, body, not number)
            for key in sorted({*self.objects, *self.older})
            for number, (version, body) in enumerate(
                [*([("newest", self.objects[key])] if key in self.objects else []), *self.older.get(key, ())]
            )
            if key.startswith(query.get("prefix", ""))
        ]
        mark = (query.get("key-marker", ""), query.get("version-id-marker", ""))
        start = next((n + 1 for n, each in enumerate(every) if each[:2] == mark), 0)
        page = every[start : start + min(self.page, int(query["max-keys"]))]
        more = start + len(page) < len(every)
        next_key = (
            f"<NextKeyMarker>{quote_plus(page[-1][0], safe='/')}</NextKeyMarker>" if more and not self.cut else ""
        )
        tail = f"{next_key}<NextVersionIdMarker>{page[-1][1]}</NextVersionIdMarker>" if more else ""
        return (
            '<?xml version="1.0" encoding="UTF-8"?><ListVersionsResult xmlns="http://s3.amazonaws.com/doc/2006-03-01/">'
            f"<EncodingType>url</EncodingType><IsTruncated>{str(more).lower()}</IsTruncated>{tail}"
            f"{''.join(map(_version_row, page))}</ListVersionsResult>"
        )

    def body(self, key: str, version: str) -> bytes | None:
        """The bytes of an object, or of one of its versions."""
        return dict(self.older.get(key, ())).get(version) if version else self.objects.get(key)

    def fault(self, path: str, query: str, headers: dict[str, str]) -> str:
        """Return the code of the error that a request ends with, "" for none."""
        said = _AUTHORIZATION.fullmatch(headers.get("authorization", ""))
        if self.error or said is None:
            return self.error or "AccessDenied"
        if said["key"] != ACCESS_KEY:
            return "InvalidAccessKeyId"
        if said["region"] != REGION:
            return "AuthorizationHeaderMalformed"
        signed = "".join(f"{name}:{headers[name].strip()}\n" for name in said["names"].split(";"))
        pairs = sorted((quote(n, safe=""), quote(v, safe="")) for n, v in parse_qsl(query, keep_blank_values=True))
        flat = "&".join(f"{name}={value}" for name, value in pairs)
        wanted = f"GET\n{path}\n{flat}\n{signed}\n{said['names']}\n{headers['x-amz-content-sha256']}"
        scope = f"{said['day']}/{REGION}/s3/aws4_request"
        digest = hashlib.sha256(wanted.encode()).hexdigest()
        text = f"AWS4-HMAC-SHA256\n{headers['x-amz-date']}\n{scope}\n{digest}"
        key = f"AWS4{SECRET_KEY}".encode()
        for part in (said["day"], REGION, "s3", "aws4_request", text):
            key = hmac.new(key, part.encode(), hashlib.sha256).digest()
        return "" if key.hex() == said["signature"] else "SignatureDoesNotMatch"


def _version_row(each: tuple[str, str, bytes | None, bool]) -> str:
    key, version, body, is_latest = each
    head = (
        f"<Key>{quote_plus(key, safe='/')}</Key><VersionId>{version}</VersionId><IsLatest>{str(is_latest).lower()}"
        "</IsLatest><LastModified>2026-11-28T12:00:00.000Z</LastModified>"
    )
    if body is None:
        return f"<DeleteMarker>{head}</DeleteMarker>"
    return f"<Version>{head}<ETag>&quot;{hashlib.md5(body).hexdigest()}&quot;</ETag><Size>{len(body)}</Size></Version>"


class _S3Request(BaseHTTPRequestHandler):
    protocol_version = "HTTP/1.1"
    store: S3Store

    def do_GET(self) -> None:
        parts = urlsplit(self.path)
        self.store.requests.append(self.path)
        fault = self.store.fault(parts.path, parts.query, {name.lower(): value for name, value in self.headers.items()})
        bucket, _, key = unquote(parts.path).lstrip("/").partition("/")
        if not fault and bucket != BUCKET:
            fault = "NoSuchBucket"
        query = dict(parse_qsl(parts.query, keep_blank_values=True))
        body = self.store.body(key, query.get("versionId", ""))
        if not fault and key and body is None:
            fault = "NoSuchKey"
        if fault:
            status = {"NoSuchBucket": 404, "NoSuchKey": 404, "SlowDown": 503, "PermanentRedirect": 301}.get(fault, 403)
            self._answer(status, f"<Error><Code>{fault}</Code><Region>{REGION}</Region></Error>".encode())
        elif body is not None:
            self._answer(200, body, "binary/octet-stream")
        else:
            listing = self.store.versions if "versions" in query else self.store.listing
            self._answer(200, listing(query).encode())

    def _answer(self, status: int, body: bytes, mime: str = "application/xml") -> None:
        self.send_response(status)
        self.send_header("Content-Type", mime)
        self.send_header("Content-Length", str(len(body)))
        self.send_header("Last-Modified", datetime(2026, 11, 28, 12, tzinfo=UTC).strftime("%a, %d %b %Y %H:%M:%S GMT"))
        self.end_headers()
        self.wfile.write(body)

    def log_message(self, format: str, *args: object) -> None:  # noqa: A002 - the name is the standard library's
        """Say nothing."""


@contextmanager
def s3_store() -> Iterator[S3Store]:
    handler = type("Handler", (_S3Request,), {})
    with ThreadingHTTPServer(("127.0.0.1", 0), handler) as server:
        store = handler.store = S3Store(server.server_address[1])  # type: ignore[attr-defined]
        thread = Thread(target=server.serve_forever, args=(0.05,), daemon=True)
        thread.start()
        try:
            yield store
        finally:
            server.shutdown()
            thread.join()
