"""Encrypted documents: some that Apache POI 5.4.1 made, and a writer of others after [MS-OFFCRYPTO] 2.3.4."""

from __future__ import annotations

import base64
import hashlib
import struct
import zlib

from cryptography.hazmat.primitives.ciphers import Cipher
from cryptography.hazmat.primitives.ciphers.algorithms import AES
from cryptography.hazmat.primitives.ciphers.modes import CBC

from cormorant.extract.ole.compound_writer import write_compound

AGILE = {
    "EncryptionInfo": (
        "eNqtU01zokAQ9ZAfQnHd2gAqoCkxK2qAsOgioshthIFBPmX4iPz6xWg2uretzZymu6bfe9395qHz0PnR6XRGz29xRFQwx0GaCCTz"
        "SJMETJzUDRJfIM31y/cBSeACJC6I0gQK5Ali8nk8at/kp6xoi4gWIMFPmUCiosieKAo7CMYAP8aBk6c49YpHJ42p1PMCB1Jdmuao"
        "EJ7ml/o0pzKAcZ3mLnkB+geYTw3keNRizkABiH2UOqERNK1UhiMJJ8gQzCeRn+ZBgWKBnMyNj+wUgSB57/PjpqUunIpTkkAAo5si"
        "Q56wTPeSvmBzfZJoKcWgaBV32ZYJg6j45D1HGxCVbXg47WT2VxexzV6fDI+vKjcIs4kgkNR45LaSlaSAfkt0Iq4NQVeOgaPCk0B6"
        "HN9Xj4q4HQR0mCjqQrFwn+NiWdMdbfkt3WVHL+aVRqsSJrIcpKv5Zp3YO06Tw5q3fvJQVGTWiAZDMbNVpKqUWOV+y33PdVW68+kZ"
        "wIcA+KfhhjJRJVY2kg9GuedRldhQWy/MpOZn5ry36UqKiM1hw+xkvOutpbdc2qEZ9XIsedQ0uelJaK5KYlnql05vd47vQ6LMg/92"
        "z3iUPf3pqZ3dFxnhFvI6Je0VeHp40Gmuv9BfYhs0TdlrJpnhzsz0haP8t5VFxTxTTf3bOW9gHngBzOXWQ0qSlYVA2vpWja2i8U3r"
        "sOuLniExEb7fzm3VlX/jUrXfuKm9mSyr/UGdxwawF9qmpFa9MBvafCgNe3wDYvG0PCyMesWstMnxNaK3y72u8XWNDLbP1ZZTMR5m"
        "twAanCS9s36l62PKwpW/2rOGvVz1jo2Hiyaozyw4C5JpWibtABj6fM72uNvqX2Frl5u/Pv4Niceeqg=="
    ),
    "EncryptedPackage": (
        "eNoBiAF3/nkBAAAAAAAA4bQTVGBBcOER8DDoHCIZbBk3koLaJpH8FkX5vpkssDPUjGn+1DG7eUIyXddofQeTcBIYZKtUDHGGVJ54"
        "YSJySJbKiknoK9E5vWLoyktvqHlYcn50CjvvvpeBnqbGQNoslMW4xfLdb2Q1Y3VyGFLxau+ujfvAwSZL7eu7mytRMxYpI8LXqFft"
        "1XNSMHN1fZ+17Ko7mcqbnX8aMoOyn05BDXt+kgAJ/PLkT9Cqc8qXhuaTymb9MeoS5jgXUttHgon0Zlo98/XikLGRO0Mc7oMcT7Ev"
        "AXW2z48FjbHTIcl4wVoxpbSySqzAzJex+/Bba53OHJuuYxsEAYMeSl2UKnlfQBKtdleDQZbbRtNezchpOhEaKcCxROBREq82Hl5H"
        "jTvvCgdhy80YzDcXTp6TlIjhH86zWiDqMKQS1oXMfsWbMqRGjNykqeZAeZerC8yns2NzH5ACX27fWFvb3976NZ77rG9W0IntSU2y"
        "19wtqNhmeqpv24jpMu5xUCLNi2cRK/LZLa/CIQ=="
    ),
}
"""SHA-512 and AES of 256 bits in 100,000 rounds, as Office does it: a text document, `Open to everybody`."""
STANDARD = {
    "EncryptionInfo": (
        "eNpjYWBiUGFgYOgBYhANAnxpDAwsDQwMQMQgwYAAvgyZDMkMRQz5DMVAnMZQwqDA4MqQx5DBkAgkkxlSGVKAIkEMwQyOQBokBuI7"
        "AtUEA2lnoM5KhgKgrnyGdCA7EcjOAJuowBAANrUMyEsBmlIEtEsAiGX/LH3kIcv8fKpeyTJm2cN3Xnftd13qY+ibXz31yLHztrIi"
        "QDWip/39mNakcz9YtO3M644W1sJnDOHTrUKjhLbcDI54osQHAKDSM4U="
    ),
    "EncryptedPackage": (
        "eNoBiAF3/nkBAAAAAAAA7jyzn6lurLCvYHOuv1HHRUUVDHDz1TZHhdDRGwGrwv8tw8IoNKuYVrghMDpy95aonJz54ZVwy7Bsv5nb"
        "wNThUC5WpQQQhZ0YlizKwMXB7THICxF4z6WJn4USgbGOJIpQ/TLSf1scA2G1QEoeglrkr+sM7LXQmB1zPTPqtt+CLcC3sWt4Qzah"
        "/qDfx4g2Eyld2E27S3/cDepVecr6ijb7phDIfWUbbozGQ5PwvDr2B5gLhpxHKskwe3L26L8Ev2sXt/4czA3T+fBfX1ur5KlZNpxC"
        "3RwuAx5VdywOWhB8CMMXUDN57wP9/hfKxrlKSbZk62uN0c748Il0cRILQgqrc9oG/fUwX5+pWytPORil2Qgogc3PhhB/OUjCoJUw"
        "9PlW4cfMRqMv+mcpSqplalRvRLGPfSYKnmQFRfjQLYlwhzBYdEAeHFuBO3QW33TlYTpC9wJsi4rPSFbjde7ggOVcUgqdJBC96wD4"
        "IhmLZq5QIcMNdvheu1ywkyW26FMCmqLUNOu+cg=="
    ),
}
"""The same with SHA-1 and AES of 128 bits, as Office 2007 did it."""
XOR = {
    "Workbook": (
        "eNrdVG1MW2UUPr3cQltXKKxMbOWdkhY2GFkWP2IkLB3CEGv6a0YdJlwKAqVrKyTGQERavu5wKDBubuq1tAEj/DBs6kwlTqfQiFnk"
        "x5IZTdhcWLuCk2UuyzCZq8zz3kLULf3pH3/c5/Y55zkf73lvj1qlA0hXwnndYsYBwJ/47JXx5VMa6TIw8DE7hyhyUbS9Aq+BIUpm"
        "fhkecR1vDLSOQK8nuGJYVTQZ/jNegdVVV+sVDAhsOSKJBdDyIvcQIu/MQVTatyP63SfRK0W/pBpHOeTAe6aD1uwPz/KMnThEbtYd"
        "qrQAjX9HPk+BHJ+JaLZ/rqDxS0Dj90EudPjdwp2Wji+iJKa0k7Pisz8+MztIHRnILw/0WdDP8s6no0/O7LKNUccbyIXXb+yneof4"
        "jf/g0u6PVqjjYeSO4bdtVC9Fz8RK9zxWZSSsAc7Epu2kNMeUWLvB+bxf9xunfYWd126yQSthd8IkKRa5i7+e45isjSvrC3b1oW8N"
        "348X6yyx6xsDeQuEfQS8fq3ARn67NPA+X994wTNy7Cv1qCVt70ZzJ582nec5RVgz7Iwp/i5yInB/psK0xjLCPgElAsM721YPNx8o"
        "Mmi3s4mW7keXvaEpadrSZJT5Jw1H3JeaDk8pCk+XdlXd7R/ddsRG2D1gFZZpYO1q/WqnlvbQrZj3hOSeyjK7Xv259dxEBE+3vqId"
        "xELlkM16nZKaHrbWdTOe0Byf87navutQQaFUer5xXJPNxVx1V/IW7ING7FsOH+pSl/Vdb97Rg0d6HDj7HYd4bLxkRB7NhXjaYLLO"
        "6Bav7ugZMweK91m4ITlx6/rzy6AHegGmfEPygjh6gSEPtZuR7woF3IJEL4heeLqL2j/b0if+ra9Kof8hhV6ZQi/8j/VhLuBOfvD/"
        "nGc0qe+6d/5lyfzGe/VMCn1tCv3UffoxhoWM9rdE+g7rqwX6rm4Pyvx3fbPMle1E5jv0RQIn75d+0EKbEoD+j1nD1bX0IWDBJpj4"
        "EwoWIsqK4IOgAmuyNkmAASqxk0lkk8Txx2JubISpdkrvfuo+2vTUXdCAR5gpckoN6NfgClXLC1cHp7WLGXObC/cBRg9b8/pg8/us"
        "O8TyWlxI82QbYlzMQjTx2YgxpQ7r3zp5sfK5mpbbdWipIMWIbqEEMUp6EGtEL2q2vnUzHg8XGu9Dz1JQjxVz8elF5pT6EO1kAgrw"
        "hEd5qzRPIsoCci0cn012tHE7meXNbpvwAq1OgMmUM++Wp2xCjYrRAa1jwxrynZh7CbXRpWeV8uU5OcI+/584DRoTl1WU1WDUsJzj"
        "J+zXibo1ccK/n8mB8Eu0fsPmlGn2fMiCW8khRTZNdKB/AaV9cQ0="
    ),
}
"""A workbook of Excel 97 with XOR obfuscation: the cells `cell 0` and `cell 1` of a sheet `Stock`."""

_SALT = b"salt of sixteen."
_DESCRIPTION = (
    '<encryption xmlns="http://schemas.microsoft.com/office/2006/encryption"><keyData saltSize="16" blockSize="16"'
    ' keyBits="{bits}" hashSize="{size}" cipherAlgorithm="AES" cipherChaining="ChainingModeCBC"'
    ' hashAlgorithm="{hash}" saltValue="{salt}"/><keyEncryptors>'
    '<keyEncryptor uri="http://schemas.microsoft.com/office/2006/keyEncryptor/password"><p:encryptedKey'
    ' xmlns:p="http://schemas.microsoft.com/office/2006/keyEncryptor/password" spinCount="{spins}" saltSize="16"'
    ' blockSize="16" keyBits="{bits}" hashSize="{size}" cipherAlgorithm="AES" cipherChaining="{chaining}"'
    ' hashAlgorithm="{hash}" saltValue="{salt}" encryptedVerifierHashInput="{proof}"'
    ' encryptedVerifierHashValue="{expected}" encryptedKeyValue="{key}"/></keyEncryptor></keyEncryptors></encryption>'
)


def made_elsewhere(streams: dict[str, str]) -> bytes:
    """Return the OLE file of one of the documents above."""
    return write_compound({name: zlib.decompress(base64.b64decode(data)) for name, data in streams.items()})


def sealed(
    package: bytes, password: str = "VelvetSweatshop", *, spins: int = 10, chaining: str = "ChainingModeCBC"
) -> bytes:
    """Return a document with agile encryption: AES of 192 bits, whose key is longer than its hash of SHA-1."""
    spun = hashlib.sha1(_SALT + password.encode("utf-16-le")).digest()
    for number in range(min(spins, 100)):
        spun = hashlib.sha1(struct.pack("<I", number) + spun).digest()
    key = bytes(range(24))

    def seal(value: bytes, purpose: str) -> str:
        secret = hashlib.sha1(spun + bytes.fromhex(purpose)).digest().ljust(24, b"6")
        return base64.b64encode(_encrypted(secret, _SALT, value)).decode()

    verifier = b"abcdefghijklmnop"
    description = _DESCRIPTION.format(
        bits=192, size=20, hash="SHA1", spins=spins, chaining=chaining, salt=base64.b64encode(_SALT).decode(),
        proof=seal(verifier, "fea7d2763b4b9e79"), expected=seal(hashlib.sha1(verifier).digest(), "d7aa0f6d3061344e"),
        key=seal(key, "146e0be7abacd0d6"),
    )  # fmt: skip
    segments = (package[start : start + 4096] for start in range(0, len(package), 4096))
    body = b"".join(
        _encrypted(key, hashlib.sha1(_SALT + struct.pack("<I", number)).digest()[:16], segment)
        for number, segment in enumerate(segments)
    )
    return write_compound(
        {
            "EncryptionInfo": struct.pack("<HHI", 4, 4, 0x40) + description.encode(),
            "EncryptedPackage": struct.pack("<Q", len(package)) + body,
        }
    )


def _encrypted(key: bytes, vector: bytes, data: bytes) -> bytes:
    encryptor = Cipher(AES(key), CBC(vector)).encryptor()
    return encryptor.update(data.ljust(-(-len(data) // 16) * 16, b"\0")) + encryptor.finalize()
