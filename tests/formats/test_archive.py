"""ZIP archives: what is listed, what is refused and why, and how one member is replaced."""

import io
import stat
import tracemalloc
import zipfile

import pytest

from lorewright.errors import FormatError
from lorewright.formats import archive as archives
from lorewright.formats import limits
from lorewright.formats.archive import open_archive, replace_member
from lorewright.formats.imported import Notes
from tests.effort import cpu_below
from tests.formats.archives import Raw, with_infos, zipped

MIB = 1024 * 1024


def opened(data):
    notes = Notes()
    return open_archive(data, notes), notes


def codes(notes):
    return [report.code for report in notes.reports()]


def test_members_are_listed_in_order_and_read():
    archive, notes = opened(zipped({"b.txt": "second", "a/": "", "a/x.txt": "first"}))

    assert [member.name for member in archive.members] == ["b.txt", "a/", "a/x.txt"]
    assert [member.is_folder for member in archive.members] == [False, True, False]
    assert archive.read(archive.members[2]) == b"first"
    assert codes(notes) == []


def test_stored_members_and_a_comment_at_the_end():
    archive, _ = opened(Raw().add(b"a", b"text", method=0).end(comment=b"PK\5\6 as a comment"))

    assert archive.read(archive.members[0]) == b"text"


@pytest.mark.parametrize("is_absolute", [False, True], ids=["relative offsets", "absolute offsets"])
def test_an_archive_behind_other_bytes(is_absolute):
    before = b"\xff\xd8\xff" + b"picture" * 9
    if is_absolute:
        target = io.BytesIO(before)
        target.seek(0, io.SEEK_END)
        with zipfile.ZipFile(target, "a") as file:
            file.writestr("a", "text")
        data = target.getvalue()
    else:
        data = before + zipped({"a": "text"})

    archive, _ = opened(data)

    assert archive.read(archive.members[0]) == b"text"
    assert replace_member(data, "a", b"other").startswith(before)
    assert zipfile.ZipFile(io.BytesIO(replace_member(data, "a", b"other"))).read("a") == b"other"


UNSAFE = ["../x", "a/../../x", "..", "/etc/passwd", "C:/x", "c:x", "..\\x", "a\\..\\x", "\\\\server\\x"]


@pytest.mark.parametrize("name", UNSAFE)
def test_unsafe_names_are_listed_and_never_read(name):
    archive, notes = opened(Raw().add(name.encode(), b"x").add(b"ok", b"y").end())

    assert [member.refused for member in archive.members] == ["zip_unsafe_path", ""]
    assert codes(notes) == ["zip_unsafe_path"]
    with pytest.raises(FormatError):
        archive.read(archive.members[0])


def test_a_nul_or_no_name_is_unsafe():
    archive, notes = opened(Raw().add(b"a\0.json", b"x").add(b"", b"y").end())

    assert [member.refused for member in archive.members] == ["zip_unsafe_path"] * 2
    assert codes(notes) == ["zip_unsafe_path"] * 2


@pytest.mark.parametrize(
    ("first", "second"), [("a", "A"), ("é", "e\u0301"), ("straße", "STRASSE"), ("a", "a"), ("x", "x/")]
)
def test_names_that_collide(first, second):
    archive, notes = opened(Raw().add(first.encode(), b"1").add(second.encode(), b"2").end())

    assert [member.refused for member in archive.members] == ["", "zip_unsafe_path"]
    assert "name of another" in notes.reports()[0].message


@pytest.mark.parametrize("kind", [stat.S_IFLNK, stat.S_IFIFO, stat.S_IFCHR, stat.S_IFSOCK])
def test_links_and_devices(kind):
    archive, notes = opened(Raw().add(b"card.json", b"/etc/passwd", mode=kind | 0o777).end())

    assert archive.members[0].refused == "zip_unsafe_path"
    assert archive.find("card.json") is None
    assert "link" in notes.reports()[0].message


def test_plain_files_and_folders_with_modes_are_fine():
    archive, _ = opened(Raw().add(b"a", b"1", mode=stat.S_IFREG | 0o644).add(b"b/", b"", mode=stat.S_IFDIR).end())

    assert [member.refused for member in archive.members] == ["", ""]


@pytest.mark.parametrize("flags", [0x1, 0x40, 0x2000])
def test_encrypted_members(flags):
    archive, notes = opened(Raw().add(b"a", b"1", flags=flags).end())

    assert archive.members[0].refused == "zip_unreadable"
    assert "encrypted" in notes.reports()[0].message


def test_other_methods():
    archive, _ = opened(Raw().add(b"a", b"1", method=14).end())

    assert archive.members[0].refused == "zip_unreadable"


def test_members_that_share_bytes():
    data = Raw().add(b"a", b"x" * 99).add(b"a", b"x" * 99, offset=0).add(b"c", b"fine").end()

    archive, notes = opened(data)

    assert [bool(member.refused) for member in archive.members] == [True, True, False]
    assert "zip_unreadable" in codes(notes)
    assert archive.read(archive.members[2]) == b"fine"


def test_a_local_header_that_says_another_name():
    archive, _ = opened(Raw().add(b"good.json", b"x", local_name=b"evil.json").end())

    assert archive.members[0].refused == "zip_unreadable"


def test_a_bomb_that_says_so_is_refused_by_the_directory():
    archive, notes = opened(zipped({"bomb": bytes(20 * MIB)}))

    assert archive.members[0].refused == "zip_ratio"
    assert codes(notes) == ["zip_ratio"]


def test_a_bomb_that_lies_is_stopped_while_it_is_inflated():
    archive, _ = opened(Raw().add(b"bomb", bytes(30 * MIB), size=10).end())
    tracemalloc.start()
    try:
        with pytest.raises(FormatError) as caught:
            archive.read(archive.members[0])
        peak = tracemalloc.get_traced_memory()[1]
    finally:
        tracemalloc.stop()

    assert caught.value.facts["code"] == "zip_ratio"
    assert peak < 8 * MIB


def test_all_members_together_have_a_limit(monkeypatch):
    monkeypatch.setattr(limits, "ZIP_TOTAL_BYTES", 25)
    archive, _ = opened(Raw().add(b"a", b"x" * 20).add(b"b", b"y" * 20).end())
    archive.read(archive.members[0])

    with pytest.raises(FormatError) as caught:
        archive.read(archive.members[1])

    assert caught.value.facts["code"] == "zip_ratio"


def test_a_member_over_the_size_limit_is_refused():
    archive, _ = opened(Raw().add(b"a", b"x", size=51 * MIB).end())

    assert archive.members[0].refused == "zip_limit"


def test_many_members():
    raw = Raw()
    for number in range(2_100):
        raw.add(b"%d" % number, b"", method=0)

    archive, notes = opened(raw.end())

    assert (len(archive.members), archive.more) == (2_000, 100)
    assert codes(notes) == ["zip_limit"]
    with pytest.raises(FormatError):
        replace_member(raw.end(), "5", b"x")


def test_a_wrong_checksum_is_reported():
    archive, notes = opened(Raw().add(b"a", b"text", crc=1).end())

    assert archive.read(archive.members[0]) == b"text"
    assert codes(notes) == ["zip_bad_crc"]


@pytest.mark.parametrize(
    "data",
    [
        b"",
        b"PK\3\4",
        b"PK\5\6",
        zipped({"a": "b"})[:-1],
        Raw().add(b"a", b"b").end(count=2),
        Raw().add(b"a", b"b").end(shift=999),
        Raw().add(b"a", b"b").end(count=0xFFFF),
    ],
)
def test_damaged_directories_are_refused(data):
    with pytest.raises(FormatError) as caught:
        opened(data)

    assert caught.value.facts["format"] == "zip"


def test_names_are_found_exactly_then_normalised_then_in_any_case():
    archive, _ = opened(zipped({"Assets/Ünder.png": "1", "b.png": "2"}))

    assert archive.find("b.png").name == "b.png"
    assert archive.find("B.PNG").name == "b.png"
    assert archive.find("Assets/U\u0308nder.png").name == "Assets/Ünder.png"
    assert archive.find("assets/ünder.PNG").name == "Assets/Ünder.png"
    assert archive.find("c.png") is None


def test_an_old_encoding_of_names():
    archive, _ = opened(Raw().add("é.txt".encode("cp437"), b"1").end())

    assert archive.members[0].name == "é.txt"


# --- replacing


def everything(data):
    with zipfile.ZipFile(io.BytesIO(data)) as archive:
        assert archive.testzip() is None
        return {name: archive.read(name) for name in archive.namelist()}


@pytest.mark.parametrize("name", ["a", "b", "c"])
@pytest.mark.parametrize("method", [zipfile.ZIP_STORED, zipfile.ZIP_DEFLATED])
@pytest.mark.parametrize("content", [b"", b"new text " * 50])
def test_one_member_is_replaced_and_the_others_stay(name, method, content):
    members = {"a": b"one" * 20, "b": b"two", "c": b"three" * 9}
    data = zipped(members, method=method)

    made = replace_member(data, name, content)

    assert everything(made) == members | {name: content}
    assert opened(made)[1].reports() == ()
    for other in {"a", "b", "c"} - {name}:
        assert record(data, other) == record(made, other)


def record(data, name):
    """The bytes of a member, header and data."""
    archive, _ = opened(data)
    member = next(one for one in archive.members if one.name == name)
    return data[member.offset : member.data_place + member.packed_size]


def test_descriptors_extra_fields_and_comments_survive():
    class Unseekable(io.RawIOBase):
        def __init__(self):
            self.data = b""

        def writable(self):
            return True

        def write(self, data):
            self.data += bytes(data)
            return len(data)

    target = Unseekable()
    with zipfile.ZipFile(target, "w", zipfile.ZIP_DEFLATED) as archive:
        with archive.open(zipfile.ZipInfo("a"), "w", force_zip64=True) as member:
            member.write(b"x" * 50)
        archive.writestr("b", "y" * 50)
        archive.comment = b"made by hand"

    made = replace_member(target.data, "a", b"changed")

    assert everything(made) == {"a": b"changed", "b": b"y" * 50}
    assert zipfile.ZipFile(io.BytesIO(made)).comment == b"made by hand"


def test_sizes_in_the_extra_field():
    info = zipfile.ZipInfo("a")
    data = bytearray(with_infos((info, b"x" * 50), (zipfile.ZipInfo("b"), b"tail")))
    place = data.index(b"PK\1\2")
    sizes = data[place + 24 : place + 28] + bytes(4) + data[place + 20 : place + 24] + bytes(4)
    extra = b"\x01\0\x10\0" + bytes(sizes)
    data[place + 20 : place + 28] = b"\xff" * 8
    data[place + 30 : place + 32] = len(extra).to_bytes(2, "little")
    data[place + 47 : place + 47] = extra
    end = data.rindex(b"PK\5\6")
    data[end + 12 : end + 16] = (end - place).to_bytes(4, "little")
    archive, _ = opened(bytes(data))
    assert archive.read(archive.members[0]) == b"x" * 50

    assert everything(replace_member(bytes(data), "a", b"new")) == {"a": b"new", "b": b"tail"}


def test_only_what_can_be_read_is_replaced():
    with pytest.raises(FormatError):
        replace_member(zipped({"a": "x"}), "b", b"")
    with pytest.raises(FormatError):
        replace_member(Raw().add(b"../a", b"x").end(), "../a", b"")


# --- damage


def test_cut_at_every_byte():
    data = zipped({"card.json": '{"name": "A"}', "a/b.txt": "text" * 20})

    for length in range(len(data)):
        try:
            archive, _ = opened(data[:length])
        except FormatError:
            continue
        read_all(archive)


def test_every_bit_flipped():
    data = zipped({"card.json": '{"name": "A"}', "a": "text" * 20})

    for place in range(len(data) * 8):
        flipped = bytearray(data)
        flipped[place // 8] ^= 1 << place % 8
        try:
            archive, _ = opened(bytes(flipped))
        except FormatError:
            continue
        read_all(archive)


def read_all(archive):
    for member in archive.members:
        try:
            archive.read(member)
        except FormatError as error:
            error.message.encode()


def test_many_end_records_cost_little():
    with cpu_below(1), pytest.raises(FormatError):
        opened(b"PK\3\4" + b"PK\5\6" * 200_000)


def test_the_module_says_what_it_gives():
    assert set(archives.__all__) <= set(vars(archives))
