"""Small archives, made by hand or by `zipfile`."""

import io
import json
import struct
import warnings
import zipfile
import zlib
from collections.abc import Mapping
from typing import Any

CARD: dict[str, Any] = {
    "spec": "chara_card_v3",
    "spec_version": "3.0",
    "data": {"name": "Ada", "description": "d", "first_mes": "Hi"},
}


def zipped(members: Mapping[str, bytes | str], *, method: int = zipfile.ZIP_DEFLATED) -> bytes:
    target = io.BytesIO()
    with zipfile.ZipFile(target, "w", method) as archive:
        for name, content in members.items():
            archive.writestr(zipfile.ZipInfo(name), content, method)
    return target.getvalue()


def with_infos(*members: tuple[zipfile.ZipInfo, bytes]) -> bytes:
    target = io.BytesIO()
    with warnings.catch_warnings(), zipfile.ZipFile(target, "w", zipfile.ZIP_DEFLATED) as archive:
        warnings.simplefilter("ignore")
        for info, content in members:
            archive.writestr(info, content)
    return target.getvalue()


def charx(card: object = CARD, **members: bytes) -> bytes:
    return zipped({"card.json": json.dumps(card), **members})


class Raw:
    """An archive of which every field can be a lie."""

    def __init__(self) -> None:
        self.body = b""
        self.directory = b""
        self.number = 0

    def add(
        self,
        name: bytes,
        content: bytes,
        *,
        method: int = 8,
        flags: int = 0,
        size: int | None = None,
        local_name: bytes | None = None,
        offset: int | None = None,
        mode: int = 0,
        crc: int | None = None,
        version: int = 20,
    ) -> "Raw":
        packer = zlib.compressobj(9, zlib.DEFLATED, -15)
        packed = packer.compress(content) + packer.flush() if method == 8 else content
        checksum = zlib.crc32(content) if crc is None else crc
        told = len(content) if size is None else size
        local = name if local_name is None else local_name
        place = len(self.body) if offset is None else offset
        if offset is None:
            self.body += struct.pack(
                "<4s5H3L2H", b"PK\3\4", version, flags, method, 0, 0, checksum, len(packed), told, len(local), 0
            )
            self.body += local + packed
        self.directory += struct.pack(
            "<4s6H3L5H2L",
            b"PK\1\2",
            version,
            version,
            flags,
            method,
            0,
            0,
            checksum,
            len(packed),
            told,
            len(name),
            0,
            0,
            0,
            0,
            mode << 16,
            place,
        )
        self.directory += name
        self.number += 1
        return self

    def end(self, *, count: int | None = None, comment: bytes = b"", shift: int = 0) -> bytes:
        number = self.number if count is None else count
        end = struct.pack(
            "<4s4H2LH", b"PK\5\6", 0, 0, number, number, len(self.directory), len(self.body) + shift, len(comment)
        )
        return self.body + self.directory + end + comment
