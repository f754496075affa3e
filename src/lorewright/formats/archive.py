"""ZIP archives, read by their central directory and within limits (spec formats §3.6, §6).

Nothing is written to disk and no archive in an archive is opened. Every member is listed; one that is unsafe or cannot
be read carries the reason, which is reported once. The archive may stand behind other bytes (a JPEG picture).
"""

from __future__ import annotations

import re
import stat
import struct
import unicodedata
import zlib
from collections.abc import Sequence
from dataclasses import dataclass, field, replace
from typing import Final

from lorewright.errors import FormatError
from lorewright.formats import limits
from lorewright.formats.imported import Notes

__all__ = ["Archive", "Member", "open_archive", "replace_member"]

_END: Final = struct.Struct("<4s4H2LH")
_ENTRY: Final = struct.Struct("<4s6H3L5H2L")
_LOCAL: Final = struct.Struct("<4s5H3L2H")
_END_SIGN: Final = b"PK\x05\x06"
_ENTRY_SIGN: Final = b"PK\x01\x02"
_LOCAL_SIGN: Final = b"PK\x03\x04"
_END_WITHIN: Final = 65_557
_STORED: Final = 0
_DEFLATED: Final = 8
_ENCRYPTED: Final = 0x0001 | 0x0040 | 0x2000
_DESCRIPTOR: Final = 0x0008
_UTF8: Final = 0x0800
_IN_ZIP64: Final = 0xFFFFFFFF
_ZIP64_EXTRA: Final = 0x0001
_COUNT_IN_ZIP64: Final = 0xFFFF
_DRIVE: Final = re.compile(r"[A-Za-z]:")
_SHOWN: Final = 200


@dataclass(frozen=True, slots=True)
class Member:
    """One file (or folder) of an archive.

    `name` is as in the archive, with `/` between its parts. `size` and `packed_size` are what the archive says, and not
    to be relied on. `refused` is the code of the reason why it is never read, or "".
    """

    name: str
    size: int
    packed_size: int
    refused: str = ""
    method: int = _STORED
    flags: int = 0
    crc: int = 0
    offset: int = 0
    """Of its local header, in the whole file."""
    entry_place: int = 0
    """Of its record in the directory, in the whole file."""
    name_bytes: int = 0
    homes: tuple[int, ...] = (0, 0, 0)
    """Where size, packed size and offset stand, for those that are not in the record itself."""
    data_place: int = 0
    """Where the packed content begins; 0 if it was not found."""

    @property
    def is_folder(self) -> bool:
        return self.name.endswith("/")


@dataclass(slots=True)
class Archive:
    """The members of an archive in the order of its directory. `start` bytes of something else stand before it."""

    members: tuple[Member, ...]
    start: int
    _bytes: bytes = field(repr=False)
    _notes: Notes = field(repr=False)
    directory: int = 0
    end: int = 0
    more: int = 0
    """So many members are not listed, since there are too many."""
    _spent: int = 0
    _named: dict[tuple[int, str], Member] = field(default_factory=dict, repr=False)

    def find(self, name: str) -> Member | None:
        """The readable member of this name: exactly, else after NFC, else in any case."""
        if not self._named:
            for member in self.members:
                if not member.refused and not member.is_folder:
                    for way, own in enumerate(_spellings(member.name)):
                        self._named.setdefault((way, own), member)
        found = (self._named.get((way, wanted)) for way, wanted in enumerate(_spellings(name)))
        return next((member for member in found if member is not None), None)

    def read(self, member: Member) -> bytes:
        """The content of a member, counted while it is inflated.

        Raises:
            FormatError: refused, over a limit (`limit`), or damaged. `code` in the facts is that of a report.
        """
        shown = _show(member.name)
        if member.refused:
            raise FormatError(f"The member {shown} of the archive is not read ({member.refused}).", code=member.refused)
        packed = memoryview(self._bytes)[member.data_place : member.data_place + member.packed_size]
        most = min(
            limits.ZIP_MEMBER_BYTES,
            limits.ZIP_TOTAL_BYTES - self._spent,
            max(limits.INFLATE_FREE_BYTES, limits.ZIP_RATIO * len(packed)),
        )
        content = bytes(packed[: most + 1]) if member.method == _STORED else self._inflate(packed, most, shown)
        self._spent += len(content)
        if len(content) > most:
            raise FormatError(
                f"The member {shown} of the archive has more than {most:,} bytes when it is unpacked.",
                limit=most,
                code="zip_ratio",
            )
        if zlib.crc32(content) != member.crc:
            self._notes.add("zip_bad_crc", f"The checksum of {shown} in the archive is wrong; it is used all the same.")
        return content

    def _inflate(self, packed: memoryview, most: int, shown: str) -> bytes:
        unpacker = zlib.decompressobj(-zlib.MAX_WBITS)
        try:
            content = unpacker.decompress(packed, most + 1)
        except zlib.error as error:
            raise FormatError(f"{shown} in the archive cannot be unpacked ({error}).", code="zip_unreadable") from error
        if len(content) <= most and not unpacker.eof:
            raise FormatError(f"{shown} in the archive is cut off.", code="zip_unreadable")
        return content


def open_archive(data: bytes, notes: Notes) -> Archive:
    """List the members of an archive and report those that are refused. Nothing is unpacked.

    Raises:
        FormatError: no directory, or one that cannot be read. It may have been cut off.
    """
    end, count, size, offset = _find_end(data)
    directory = end - size
    start = directory - offset
    if start < 0 or directory < 0:
        raise FormatError("The directory of the ZIP archive does not lie inside the file; it is damaged.", format="zip")
    members = _read_directory(data, directory, end, start, min(count, limits.ZIP_MEMBERS))
    if count > limits.ZIP_MEMBERS:
        notes.add(
            "zip_limit",
            f"The archive has {count:,} members; the first {limits.ZIP_MEMBERS:,} are looked at and the others are not.",
        )
    checked = _check_overlaps(data, _check_names(members, notes), directory, notes)
    return Archive(tuple(checked), start, data, notes, directory, end, max(0, count - limits.ZIP_MEMBERS))


def _find_end(data: bytes) -> tuple[int, int, int, int]:
    """Where the end record stands, and from it: number of members, size and offset of the directory."""
    lowest = max(0, len(data) - _END_WITHIN)
    place = data.rfind(_END_SIGN, lowest)
    while place >= 0:
        if place + _END.size <= len(data):
            _, disk, disk_of_directory, here, count, size, offset, _ = _END.unpack_from(data, place)
            if _COUNT_IN_ZIP64 in {here, count} or _IN_ZIP64 in {size, offset}:
                raise FormatError("The archive is of the ZIP64 kind, which no card needs; pack it again.", format="zip")
            directory = place - size
            is_directory = directory >= 0 and (not count or data.startswith(_ENTRY_SIGN, directory))
            if is_directory and disk == disk_of_directory == 0 and here == count:
                return place, count, size, offset
        place = data.rfind(_END_SIGN, lowest, place + len(_END_SIGN) - 1)
    raise FormatError(
        "The ZIP archive has no directory at its end; the file is cut off or damaged. Fetch it again.", format="zip"
    )


def _read_directory(data: bytes, directory: int, end: int, start: int, count: int) -> list[Member]:
    members = []
    place = directory
    for _ in range(count):
        if place + _ENTRY.size > end or not data.startswith(_ENTRY_SIGN, place):
            raise FormatError(
                f"The directory of the ZIP archive is damaged at byte {place:,}. Fetch the file again.", format="zip"
            )
        record = _ENTRY.unpack_from(data, place)
        _, _, _, flags, method, _, _, crc, packed, size, named, extra, comment, _, _, mode, offset = record
        name = _decode(data[place + _ENTRY.size : place + _ENTRY.size + named], flags)
        member = Member(name, size, packed, "", method, flags, crc, start + offset, place, named)
        if _IN_ZIP64 in {packed, size, offset}:
            member = _from_zip64(data, member, (size, packed, offset), place + _ENTRY.size + named, extra, start)
        members.append(replace(member, refused="zip_unsafe_path") if _is_special(mode >> 16) else member)
        place += _ENTRY.size + named + extra + comment
    return members


def _from_zip64(
    data: bytes, member: Member, fields: tuple[int, int, int], place: int, length: int, start: int
) -> Member:
    """Take from the extra field what does not stand in the record (some programs put sizes there always)."""
    end = min(place + length, len(data))
    while place + 4 <= end:
        kind, size = struct.unpack_from("<HH", data, place)
        if kind == _ZIP64_EXTRA:
            values, homes = list(fields), [0, 0, 0]
            at = place + 4
            for number, value in enumerate(fields):
                if value == _IN_ZIP64 and at + 8 <= min(place + 4 + size, end):
                    values[number], homes[number] = struct.unpack_from("<Q", data, at)[0], at
                    at += 8
            return replace(member, size=values[0], packed_size=values[1], offset=start + values[2], homes=(*homes,))
        place += 4 + size
    return member


def _decode(raw: bytes, flags: int) -> str:
    try:
        name = raw.decode("utf-8")
    except UnicodeDecodeError:
        name = raw.decode("utf-8", "replace") if flags & _UTF8 else raw.decode("cp437")
    return name.replace("\\", "/")


def _is_special(mode: int) -> bool:
    """A link, a device, a pipe: anything that is neither file nor folder."""
    return stat.S_IFMT(mode) not in {0, stat.S_IFREG, stat.S_IFDIR}


def _is_unsafe(name: str) -> bool:
    return not name or name.startswith("/") or bool(_DRIVE.match(name)) or "\0" in name or ".." in name.split("/")


def _folded(name: str) -> str:
    return unicodedata.normalize("NFC", unicodedata.normalize("NFC", name).casefold()).rstrip("/")


def _spellings(name: str) -> tuple[str, str, str]:
    return name, unicodedata.normalize("NFC", name), _folded(name)


def _check_names(members: Sequence[Member], notes: Notes) -> list[Member]:
    checked: list[Member] = []
    seen: set[str] = set()
    for member in members:
        folded = _folded(member.name)
        code, why = "", ""
        if member.refused:
            code, why = member.refused, "is a link or a device"
        elif _is_unsafe(member.name):
            code, why = "zip_unsafe_path", "would lie outside the archive's folder"
        elif folded in seen:
            code, why = "zip_unsafe_path", "has the name of another member"
        elif member.flags & _ENCRYPTED:
            code, why = "zip_unreadable", "is encrypted"
        elif member.method not in {_STORED, _DEFLATED}:
            code, why = "zip_unreadable", f"is packed by method {member.method}, which is not read"
        elif member.size > limits.ZIP_MEMBER_BYTES:
            code, why = "zip_limit", f"has {member.size:,} bytes; the limit is {limits.ZIP_MEMBER_BYTES:,}"
        elif member.size > max(limits.INFLATE_FREE_BYTES, limits.ZIP_RATIO * member.packed_size):
            code, why = "zip_ratio", f"would unpack from {member.packed_size:,} to {member.size:,} bytes"
        seen.add(folded)
        checked.append(_refuse(member, code, why, notes) if code else member)
    return checked


def _refuse(member: Member, code: str, why: str, notes: Notes) -> Member:
    notes.add(code, f"The member {_show(member.name)} {why}; it is listed but never read.", field=_bare(member.name))
    return replace(member, refused=code)


def _check_overlaps(data: bytes, members: Sequence[Member], directory: int, notes: Notes) -> list[Member]:
    """Find the data of each member behind its local header; members that share bytes are all refused."""
    placed = [_place(data, member, directory, notes) for member in members]
    order = sorted(
        (number for number, member in enumerate(placed) if member.data_place), key=lambda n: placed[n].offset
    )
    shared: set[int] = set()
    reach, widest = 0, -1
    for number in order:
        member = placed[number]
        if member.offset < reach:
            shared |= {number, widest}
        if member.data_place + member.packed_size > reach:
            reach, widest = member.data_place + member.packed_size, number
    for number in sorted(shared):
        if not placed[number].refused:
            placed[number] = _refuse(placed[number], "zip_unreadable", "shares its bytes with another member", notes)
    return placed


def _place(data: bytes, member: Member, directory: int, notes: Notes) -> Member:
    start = _find_data(data, member, directory)
    if start:
        return replace(member, data_place=start)
    return member if member.refused else _refuse(member, "zip_unreadable", "is not where the directory says", notes)


def _find_data(data: bytes, member: Member, directory: int) -> int:
    """Where the data of a member begins, or 0 when its local header does not agree with the directory."""
    place = member.offset
    if place + _LOCAL.size > directory or not data.startswith(_LOCAL_SIGN, place):
        return 0
    named, extra = _LOCAL.unpack_from(data, place)[-2:]
    start = place + _LOCAL.size + named + extra
    name = data[place + _LOCAL.size : place + _LOCAL.size + named]
    entry_name = data[member.entry_place + _ENTRY.size : member.entry_place + _ENTRY.size + member.name_bytes]
    return start if start + member.packed_size <= directory and name == entry_name else 0


def _show(name: str) -> str:
    return f"`{_bare(name)}`"


def _bare(name: str) -> str:
    return ascii(name[:_SHOWN])[1:-1]


# --- writing


def replace_member(data: bytes, name: str, content: bytes) -> bytes:
    """The same archive with another content of one member; all other members stay byte for byte where they are.

    Raises:
        FormatError: no such member, or an archive that cannot be read.
    """
    archive = open_archive(data, Notes())
    member = next((one for one in archive.members if one.name == name and not one.refused), None)
    if archive.more:
        raise FormatError(
            f"The archive has more than {limits.ZIP_MEMBERS:,} members; such a one is only read. Take some out first.",
            limit=limits.ZIP_MEMBERS,
        )
    if member is None:
        raise FormatError(f"The archive has no member {_show(name)} that can be replaced.", member=name)
    following = (one.offset for one in archive.members if one.offset > member.offset)
    old_end = min(following, default=archive.directory)
    record = _make_record(data, member, content)
    moved = len(record.bytes) - (old_end - member.offset)
    changed = bytearray(data[archive.directory :])
    for one in archive.members:
        place = one.entry_place - archive.directory
        if one is member:
            struct.pack_into("<H", changed, place + 8, record.flags)
            struct.pack_into("<L", changed, place + 16, zlib.crc32(content))
            _set(changed, archive, one, 0, len(content))
            _set(changed, archive, one, 1, record.packed_size)
        elif one.offset > member.offset:
            _set(changed, archive, one, 2, one.offset - archive.start + moved)
    end = archive.end - archive.directory
    struct.pack_into("<L", changed, end + 16, archive.directory - archive.start + moved)
    return b"".join((data[: member.offset], record.bytes, data[old_end : archive.directory], changed))


_PLACES: Final = (24, 20, 42)
"""Of size, packed size and offset in a record of the directory."""


def _set(directory: bytearray, archive: Archive, member: Member, which: int, value: int) -> None:
    home = member.homes[which]
    if home:
        struct.pack_into("<Q", directory, home - archive.directory, value)
    else:
        struct.pack_into("<L", directory, member.entry_place - archive.directory + _PLACES[which], value)


@dataclass(frozen=True, slots=True)
class _Record:
    """A local header with its data, and what of it stands in the directory too."""

    bytes: bytes
    flags: int
    packed_size: int


def _make_record(data: bytes, member: Member, content: bytes) -> _Record:
    sign, version, flags, method, time, date, _, _, _, named, extra = _LOCAL.unpack_from(data, member.offset)
    name_end = member.offset + _LOCAL.size + named
    fields = _without_zip64(data[name_end : name_end + extra])
    packed = content
    if method == _DEFLATED:
        packer = zlib.compressobj(9, zlib.DEFLATED, -zlib.MAX_WBITS)
        packed = packer.compress(content) + packer.flush()
    flags &= ~_DESCRIPTOR
    sizes = (zlib.crc32(content), len(packed), len(content), named, len(fields))
    head = _LOCAL.pack(sign, version, flags, method, time, date, *sizes)
    return _Record(head + data[member.offset + _LOCAL.size : name_end] + fields + packed, flags, len(packed))


def _without_zip64(extra: bytes) -> bytes:
    kept, place = b"", 0
    while place + 4 <= len(extra):
        kind, size = struct.unpack_from("<HH", extra, place)
        if kind != _ZIP64_EXTRA:
            kept += extra[place : place + 4 + size]
        place += 4 + size
    return kept + extra[place:]
