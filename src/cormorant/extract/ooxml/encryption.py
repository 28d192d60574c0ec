"""Decryption of Office documents that are encrypted with the password that Excel tries by itself: [MS-OFFCRYPTO] 2.3.4.

A workbook whose structure is protected, or that is reserved for those who may write, is encrypted with a published
password, but opens without a question.

    EncryptionInfo      version 4.4: agile, an XML description     versions 2.2 to 4.2: standard, a binary one
    EncryptedPackage    the size of the document, then the document, a ZIP file
"""

from __future__ import annotations

import hashlib
import hmac
import struct
from base64 import b64decode
from collections.abc import Iterator
from typing import Final, NamedTuple

from cryptography.hazmat.primitives.ciphers import Cipher
from cryptography.hazmat.primitives.ciphers.algorithms import AES
from cryptography.hazmat.primitives.ciphers.modes import CBC, ECB

from cormorant.extract.detect.compound_file import CompoundFile
from cormorant.extract.document.xml_tree import Element, attribute, parse_xml
from cormorant.extract.errors import Protected, Unreadable

DEFAULT_PASSWORD: Final = "VelvetSweatshop"  # noqa: S105 - a published constant: [MS-OFFCRYPTO] 2.4.2.3
MAX_SPINS: Final = 1_000_000
"""Rounds of hashing that a document may ask for; Office asks for 100,000."""
MAX_DESCRIPTION: Final = 64 * 1024
"""Bytes of a description of encryption that are read."""

_AGILE: Final = (4, 4)
_STANDARD: Final = ((2, 2), (3, 2), (4, 2))
_STANDARD_SPINS: Final = 50_000
_AES_BITS: Final = {0x660E: 128, 0x660F: 192, 0x6610: 256}
_HASHES: Final = {
    "SHA1": "sha1", "SHA-1": "sha1", "SHA256": "sha256", "SHA-256": "sha256", "SHA384": "sha384", "SHA-384": "sha384",
    "SHA512": "sha512", "SHA-512": "sha512",
}  # fmt: skip
_BLOCK: Final = 16
_SEGMENT: Final = 4096
_VERIFIER_INPUT: Final = bytes.fromhex("fea7d2763b4b9e79")
_VERIFIER_HASH: Final = bytes.fromhex("d7aa0f6d3061344e")
_KEY_VALUE: Final = bytes.fromhex("146e0be7abacd0d6")
_U32: Final = struct.Struct("<I")
_VERSION: Final = struct.Struct("<HH")
_SIZE: Final = struct.Struct("<Q")


def decrypted_package(body: bytes) -> bytes:
    """Return the document, a ZIP file, in an encrypted one.

    Raises Protected for any other password or an unknown algorithm, and Unreadable if `body` is no OLE file or its
    contents are missing.
    """
    root = CompoundFile(body).root
    information = (root.read("EncryptionInfo") or b"")[:MAX_DESCRIPTION]
    package = root.read("EncryptedPackage") or b""
    if len(information) < 8:
        raise Protected
    version = _VERSION.unpack_from(information)
    if version == _AGILE:
        plain = _agile(information[8:], package)
    elif version in _STANDARD:
        plain = _standard(information, package)
    else:
        raise Protected
    if not plain.startswith(b"PK"):
        raise Unreadable("it is decrypted, and holds no Office document: it is cut short or damaged")
    return plain


def _cut(package: bytes, plain: bytes) -> bytes:
    """Return the document without the bytes that fill its last block."""
    return plain[: _SIZE.unpack_from(package)[0]] if len(package) >= _SIZE.size else b""


def _spun(name: str, salt: bytes, spins: int) -> bytes:
    """Return the hash of the password that its rounds end in: [MS-OFFCRYPTO] 2.3.4.7 and 2.3.4.11."""
    digest = hashlib.new(name, salt + DEFAULT_PASSWORD.encode("utf-16-le"), usedforsecurity=False).digest()
    for number in range(spins):
        digest = hashlib.new(name, _U32.pack(number) + digest, usedforsecurity=False).digest()
    return digest


def _decrypted(key: bytes, mode: CBC | ECB, data: bytes | memoryview) -> bytes:
    """Return whole blocks decrypted, bytes behind the last of them left out."""
    decryptor = Cipher(AES(key), mode).decryptor()
    return decryptor.update(data[: len(data) // _BLOCK * _BLOCK]) + decryptor.finalize()


class _AgileCipher(NamedTuple):
    """The parameters of a cipher in an agile description: `keyData` or `encryptedKey`."""

    salt: bytes
    hash_name: str
    hash_size: int
    key_size: int

    @classmethod
    def read(cls, element: Element) -> _AgileCipher:
        """Read the parameters of an element. Raises Protected for those of other algorithms."""
        salt, hash_name = _base64(element, "saltValue"), _HASHES.get(attribute(element, "hashAlgorithm").upper(), "")
        bits, block = _number(element, "keyBits"), _number(element, "blockSize")
        names = attribute(element, "cipherAlgorithm"), attribute(element, "cipherChaining")
        if names != ("AES", "ChainingModeCBC") or not hash_name or bits not in (128, 192, 256) or block != _BLOCK:
            raise Protected
        return cls(salt, hash_name, hashlib.new(hash_name, usedforsecurity=False).digest_size, bits // 8)

    def hash(self, data: bytes) -> bytes:
        """Return the hash of `data`."""
        return hashlib.new(self.hash_name, data, usedforsecurity=False).digest()

    def key(self, spun: bytes, purpose: bytes) -> bytes:
        """Return the key for one purpose: [MS-OFFCRYPTO] 2.3.4.11."""
        return _fitting(self.hash(spun + purpose), self.key_size)

    def open(self, key: bytes, sealed: bytes) -> bytes:
        """Return one of the values that stand in the description itself: [MS-OFFCRYPTO] 2.3.4.12."""
        return _decrypted(key, CBC(_fitting(self.salt, _BLOCK)), sealed)

    def segments(self, key: bytes, package: bytes) -> Iterator[bytes]:
        """Yield the segments of a document, each with an initialization vector of its own: [MS-OFFCRYPTO] 2.3.4.15."""
        sealed = memoryview(package)[_SIZE.size :]
        for number, start in enumerate(range(0, len(sealed), _SEGMENT)):
            vector = _fitting(self.hash(self.salt + _U32.pack(number)), _BLOCK)
            yield _decrypted(key, CBC(vector), sealed[start : start + _SEGMENT])


def _agile(description: bytes, package: bytes) -> bytes:
    """Decrypt a document by an agile description: [MS-OFFCRYPTO] 2.3.4.10 to 2.3.4.15."""
    root = parse_xml(description)
    data = next(root.iter("{*}keyData"), None) if root is not None else None
    sealed_key = next(root.iter("{*}encryptedKey"), None) if root is not None else None
    if data is None or sealed_key is None:
        raise Protected
    cipher, spins = _AgileCipher.read(sealed_key), _number(sealed_key, "spinCount")
    if spins > MAX_SPINS:
        raise Protected
    spun = _spun(cipher.hash_name, cipher.salt, spins)
    proof = cipher.open(cipher.key(spun, _VERIFIER_INPUT), _base64(sealed_key, "encryptedVerifierHashInput"))
    expected = cipher.open(cipher.key(spun, _VERIFIER_HASH), _base64(sealed_key, "encryptedVerifierHashValue"))
    _verify(cipher.hash(proof[: len(cipher.salt)]), expected[: cipher.hash_size])
    of_data = _AgileCipher.read(data)
    key = cipher.open(cipher.key(spun, _KEY_VALUE), _base64(sealed_key, "encryptedKeyValue"))[: of_data.key_size]
    if len(key) < of_data.key_size:
        raise Protected
    return _cut(package, b"".join(of_data.segments(key, package)))


def _standard(information: bytes, package: bytes) -> bytes:
    """Decrypt a document by a standard description: [MS-OFFCRYPTO] 2.3.4.5 to 2.3.4.9."""
    try:
        header_size = _U32.unpack_from(information, 8)[0]
        algorithm, _, bits = struct.unpack_from("<III", information, 12 + 8)
        salt, verifier, proof = struct.unpack_from("<4x16s16s4x32s", information, 12 + header_size)
    except struct.error:
        raise Protected from None
    if _AES_BITS.get(algorithm) != bits:
        raise Protected
    first = hashlib.sha1(_spun("sha1", salt, _STANDARD_SPINS) + _U32.pack(0), usedforsecurity=False).digest()
    key = b"".join(
        hashlib.sha1(bytes(fill ^ byte for byte in first.ljust(64, b"\0")), usedforsecurity=False).digest()
        for fill in (0x36, 0x5C)
    )[: bits // 8]
    mode = ECB()  # noqa: S305 - the file decides
    expected = _decrypted(key, mode, proof)[:20]
    _verify(hashlib.sha1(_decrypted(key, mode, verifier), usedforsecurity=False).digest(), expected)
    return _cut(package, _decrypted(key, mode, memoryview(package)[_SIZE.size :]))


def _verify(found: bytes, expected: bytes) -> None:
    if not hmac.compare_digest(found, expected):
        raise Protected


def _fitting(value: bytes, size: int) -> bytes:
    """Return `size` bytes of a value, filled where it is shorter: [MS-OFFCRYPTO] 2.3.4.11 and 2.3.4.12."""
    return value[:size].ljust(size, b"\x36")


def _base64(element: Element, name: str) -> bytes:
    try:
        return b64decode(attribute(element, name)[:MAX_DESCRIPTION])
    except ValueError:
        return b""


def _number(element: Element, name: str) -> int:
    text = attribute(element, name)
    return int(text) if text.isdecimal() and len(text) < 10 else 0
