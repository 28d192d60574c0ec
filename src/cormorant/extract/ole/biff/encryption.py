"""Workbooks that Excel encrypts with its built-in password: [MS-OFFCRYPTO] 2.3.5 to 2.3.7.

A workbook with a protected structure is encrypted, but opens without a question.
"""

from __future__ import annotations

import hashlib
import struct
from collections.abc import Callable
from typing import Final

from cormorant.extract.errors import Protected
from cormorant.extract.ole.biff.records import BOF, FILE_PASS, BiffStream

MAX_ENCRYPTED: Final = 32 * 1024 * 1024
"""Bytes of a stream that are decrypted; more takes too long."""

_PASSWORD: Final = "VelvetSweatshop".encode("utf-16-le")
_BLOCK: Final = 1024
_XOR, _RC4 = 0, 1
_XOR_KEYS: Final = struct.pack("<HH", 0xB359, 0x9A0A)
"""The key and the verifier of the password: [MS-OFFCRYPTO] 2.3.7.1 and 2.3.7.2."""
_XOR_ARRAY: Final = bytes.fromhex("876b9ae21ee305621e699660986e9404")
"""The obfuscation array of the password: [MS-OFFCRYPTO] 2.3.7.2."""
_ROTATED: Final = bytes((byte << 3 | byte >> 5) & 0xFF for byte in range(256))
_CRYPTO_API: Final = (2, 3, 4)
_PLAIN: Final = BOF | {FILE_PASS, 0x0194, 0x0195, 0x00E1, 0x0196, 0x0138}
_BOUND_SHEET: Final = 0x0085
_HEADER: Final = struct.Struct("<HHH")
_SIZES: Final = struct.Struct("<II")


def decrypted(data: bytes, file_pass: bytes) -> bytes:
    """Return a stream without encryption, given its FILEPASS record. Raises Protected for any other password."""
    if len(data) > MAX_ENCRYPTED:
        raise Protected
    if file_pass in (_XOR_KEYS, _XOR.to_bytes(2, "little") + _XOR_KEYS):
        plain = _without_xor(data)
    else:
        key_of_block = _keys(file_pass)
        if key_of_block is None:
            raise Protected
        blocks = range(0, len(data), _BLOCK)
        plain = bytearray().join(_rc4(key_of_block(at // _BLOCK), data[at : at + _BLOCK]) for at in blocks)
    for record in BiffStream(data):
        size = record.size if record.kind in _PLAIN else 4 if record.kind == _BOUND_SHEET else 0
        start, end = record.start - 4, record.start + min(size, record.size)
        plain[start:end] = data[start:end]
    return bytes(plain)


def _without_xor(data: bytes) -> bytearray:
    """Undo the obfuscation of each record, which begins at a place that its size decides: [MS-OFFCRYPTO] 2.3.7.3."""
    plain = bytearray(data)
    for record in BiffStream(data):
        end = record.start + record.size
        first = (record.start + record.size) % len(_XOR_ARRAY)
        keys = (_XOR_ARRAY * (record.size // len(_XOR_ARRAY) + 2))[first : first + record.size]
        mixed = int.from_bytes(data[record.start : end], "little") ^ int.from_bytes(keys, "little")
        plain[record.start : end] = mixed.to_bytes(record.size, "little").translate(_ROTATED)
    return plain


def _keys(file_pass: bytes) -> Callable[[int], bytes] | None:
    """Return the keys of the blocks by their numbers, None for another password or algorithm."""
    if len(file_pass) < 54:
        return None
    kind, major, minor = _HEADER.unpack_from(file_pass)
    if kind != _RC4:
        return None
    if (major, minor) == (1, 1):
        return _checked(_simple_keys(file_pass[6:22]), "md5", file_pass[22:54])
    if major not in _CRYPTO_API or minor != 2:
        return None
    _, size = _SIZES.unpack_from(file_pass, 6)
    bits = int.from_bytes(file_pass[14 + 16 : 14 + 20], "little")
    verifier = file_pass[14 + min(size, len(file_pass)) :]
    return _checked(_crypto_api_keys(verifier[4:20], bits or 40), "sha1", verifier[20:36] + verifier[40:60])


def _simple_keys(salt: bytes) -> Callable[[int], bytes]:
    """Return 40-bit keys: [MS-OFFCRYPTO] 2.3.6.2."""
    first = hashlib.md5(_PASSWORD, usedforsecurity=False).digest()[:5]
    middle = hashlib.md5((first + salt) * 16, usedforsecurity=False).digest()[:5]
    return lambda number: hashlib.md5(middle + struct.pack("<I", number), usedforsecurity=False).digest()


def _crypto_api_keys(salt: bytes, bits: int) -> Callable[[int], bytes]:
    """Return keys of `bits`, those of 40 filled with zeros: [MS-OFFCRYPTO] 2.3.5.2."""
    first = hashlib.sha1(salt + _PASSWORD, usedforsecurity=False).digest()

    def key_of_block(number: int) -> bytes:
        key = hashlib.sha1(first + struct.pack("<I", number), usedforsecurity=False).digest()[: max(5, bits // 8)]
        return key.ljust(16, b"\0") if bits == 40 else key

    return key_of_block


def _checked(keys: Callable[[int], bytes], algorithm: str, verifier: bytes) -> Callable[[int], bytes] | None:
    plain = bytes(_rc4(keys(0), verifier))
    proof = hashlib.new(algorithm, plain[:16], usedforsecurity=False).digest()
    return keys if proof == plain[16:] else None


def _rc4(key: bytes, data: bytes) -> bytearray:
    """Return data that RC4 encrypted; the cipher is old and weak, and the file decides."""
    state = list(range(256))
    j = 0
    for i in range(256):
        j = (j + state[i] + key[i % len(key)]) & 0xFF
        state[i], state[j] = state[j], state[i]
    plain = bytearray(data)
    j = 0
    for place in range(len(plain)):
        i = (place + 1) & 0xFF
        one = state[i]
        j = (j + one) & 0xFF
        state[i], state[j] = state[j], one
        plain[place] ^= state[(one + state[i]) & 0xFF]
    return plain
