"""Every check: a small book, and the codes that are found in it, for each profile."""

import pytest

from lorewright.core.counter import EstimateCounter
from lorewright.core.policy import NATIVE, PROFILES
from lorewright.core.prepared import prepare_book
from lorewright.fast.regexes import FallbackRegexes, default_regexes
from lorewright.formats.native.read import read_native
from lorewright.formats.world_info import read_world_info
from lorewright.lint import CHECKS, Subject, check_book
from lorewright.templates.dialects import ProfileRenderer

SOUND = {"key": ["dragon"], "content": "x", "order": 100, "position": 0, "selective": True}
REGEXES = default_regexes()


def check(entries, policy=NATIVE, context_tokens=8192):
    filled = {str(n): {"uid": n, **SOUND, **entry} for n, entry in enumerate(entries)}
    plain = {uid: {name: value for name, value in entry.items() if value != "ABSENT"} for uid, entry in filled.items()}
    book = read_world_info({"entries": plain}, name="b").value
    subject = Subject(
        book=prepare_book(book, policy, REGEXES, ProfileRenderer()),
        regexes=REGEXES,
        backtracking=FallbackRegexes(),
        counter=EstimateCounter(),
        context_tokens=context_tokens,
    )
    return check_book(subject)


def check_native(entries, **marks):
    book = read_native({"lorewright": 1, "name": "b", **marks, "entries": entries}).value
    subject = Subject(
        book=prepare_book(book, NATIVE, REGEXES, ProfileRenderer()),
        regexes=REGEXES,
        counter=EstimateCounter(),
        context_tokens=8192,
    )
    return check_book(subject)


def codes(entries, **options):
    return [finding.code for finding in check(entries, **options)]


def one(**fields):
    return [fields]


BOTH = {
    "a sound entry": (one(), []),
    "a disabled entry is left alone": (one(key=[], disable=True, position=42), []),
    "an empty key": (one(key=["", "a"]), ["key_empty"]),
    "a comma in a key": (one(key=["cat, dog"]), ["key_joined"]),
    "a Chinese comma in a key": (one(key=["猫，狗"]), ["key_joined"]),
    "a comma at the end is a key's own": (one(key=["well,"]), []),
    "a line break in a key": (one(key=["cat\ndog"]), ["key_line_break"]),
    "C++ is a fine key": (one(key=["C++", "O'Neill", "a-b", "#tag"]), []),
    "a key in two entries": ([{}, {"key": ["Dragon", "x"]}], ["key_duplicate"]),
    "two keys in two entries are one finding": ([{"key": ["a", "b"]}, {"key": ["b", "a"]}], ["key_duplicate"]),
    "entries of one group may share keys": ([{"group": "g"}, {"group": "h, g"}], []),
    "secondary keys tell entries apart": ([{}, {"keysecondary": ["x"]}], []),
    "filters tell entries apart": ([{}, {"characterFilter": {"names": ["a"], "tags": [], "isExclude": False}}], []),
    "case tells keys apart if it counts": ([{"caseSensitive": True}, {"key": ["Dragon"], "caseSensitive": True}], []),
    "a good regex": (one(key=[r"/\bdrag(on|ons)\b/i", r"/a\/b/", "/the (big|small) .*cat/s"]), []),
    "a bare slash in a regex": (one(key=["/a/b/"]), ["key_not_regex"]),
    "a regex that does not compile": (one(key=["/(a/"]), ["key_not_regex"]),
    "a flag twice": (one(key=["/a/ii"]), ["key_not_regex"]),
    "a flag that is not known": (one(key=["/a/v"]), ["key_not_regex"]),
    "a path is no regex": (one(key=["/home/user"]), []),
    "a regex in a secondary key": (one(keysecondary=["/(/"]), ["key_not_regex"]),
    "a regex that matches everything": (one(key=["/.*/"]), ["key_matches_all"]),
    "nested repetition": (one(key=["/^(a+)+$/"]), ["key_slow_regex"]),
    "overlapping alternatives": (one(key=["/(?:a|aa)+$/"]), ["key_slow_regex"]),
    "a regex for the start of all messages": (one(key=["/^dragon/i"]), ["key_anchored"]),
    "a regex for the start and a sign": (one(keysecondary=[r"/^\*waves/"]), ["key_anchored"]),
    "a regex for the start of a word": (one(key=[r"/\bdragon/", r"/^\x01Max/", "/^\x01Max/", r"/^\s*a/"]), []),
    "a regex for the start of a line": (one(key=["/^dragon/m"]), []),
    "a start that may be missing": (one(key=["/^a?dragon/", "/^a*dragon/", "/^a{0,2}dragon/", "/^a|b/"]), []),
    "a start with a choice that is not at the top": (one(key=["/^a(b|c)[|]\\|/"]), ["key_anchored"]),
    "a macro in a key is not judged": (one(key=["{{char}}", "/{{user}}/"]), []),
    "no keys": (one(key=[]), ["never_active"]),
    "no keys but constant": (one(key=[], constant=True), []),
    "no keys but activated": (one(key=[], content="@@activate\nx"), []),
    "no keys but vectorized": (one(key=[], vectorized=True), ["only_vectorized"]),
    "never by decorator": (one(content="@@dont_activate\nx"), ["never_active"]),
    "a decorator nobody knows": (one(content="@@depht 5\nx"), ["decorator_unknown"]),
    "a probability of 0": (one(probability=0, useProbability=True), ["never_drawn"]),
    "a probability of 0 that is not used": (one(probability=0, useProbability=False), []),
    "recursion both wanted and forbidden": (
        one(delayUntilRecursion=True, excludeRecursion=True),
        ["recursion_contradiction"],
    ),
    "an outlet without a name": (one(position=7), ["placed_nowhere"]),
    "an outlet with one": (one(position=7, outletName="x"), []),
    "no position": (one(position="ABSENT"), ["absent_position"]),
    "no order": (one(order="ABSENT"), ["absent_order"]),
    "no use_probability": (one(probability=50), ["absent_use_probability"]),
    "no probability": (one(useProbability=True), ["absent_probability"]),
    "secondary keys without selective": (one(keysecondary=["x"], selective="ABSENT"), ["absent_selective"]),
    "secondary keys of an entry that is not selective": (
        one(keysecondary=["x"], selective=False),
        ["secondary_ignored"],
    ),
    "no secondary keys, not selective": (one(selective=False), []),
    "an unknown logic": (one(keysecondary=["x"], selectiveLogic=9), ["logic_unknown"]),
    "an unknown logic without secondary keys": (one(selectiveLogic=9), []),
    "a secondary key that forbids the only key": (
        one(keysecondary=["x", "Dragon"], selectiveLogic=2),
        ["secondary_contradicts"],
    ),
    "a single key of not_all that is the only key": (
        one(keysecondary=["dragon"], selectiveLogic=1),
        ["secondary_contradicts"],
    ),
    "one of two keys of not_all": (one(keysecondary=["x", "dragon"], selectiveLogic=1), []),
    "a secondary key that forbids one of two keys": (
        one(key=["dragon", "wyrm"], keysecondary=["dragon"], selectiveLogic=2),
        [],
    ),
    "a secondary key that asks for the only key": (one(keysecondary=["dragon"], selectiveLogic=3), []),
    "a constant entry needs no keys": (one(keysecondary=["dragon"], selectiveLogic=2, constant=True), []),
    "an unknown trigger": (one(triggers=["normal", "norml"]), ["trigger_unknown"]),
    "no content": (one(content=""), ["content_empty"]),
}


@pytest.mark.parametrize("profile", ["native", "sillytavern"])
@pytest.mark.parametrize(("entries", "expected"), BOTH.values(), ids=BOTH.keys())
def test_both_profiles(entries, expected, profile):
    assert codes(entries, policy=PROFILES[profile]) == expected


DIFFERENT = {
    "a decorator of V3": (one(content="@@depth 5\nx"), [], ["decorator_unknown"]),
    "a decorator of V3 without a meaning here": (
        one(content="@@is_user_icon a\nx"),
        ["decorator_unknown"],
        ["decorator_unknown"],
    ),
    "a blank key": (one(key=["a", " \t"]), ["key_blank"], ["key_matches_all"]),
    "only a blank key": (one(key=["\u00a0"]), ["key_blank", "never_active"], ["key_matches_all"]),
    "a suffix as a whole word": (one(key=["-chan"]), [], ["key_hardly_matches"]),
    "an apostrophe": (one(key=["'s"]), [], ["key_hardly_matches"]),
    "a suffix inside words is wanted": (one(key=["-chan"], matchWholeWords=False), [], []),
    "a mark without a letter": (one(key=["\u0301a"]), ["key_hardly_matches"], ["key_matches_inside_words"]),
    "Cyrillic letters": (one(key=["кот"]), [], ["key_matches_inside_words"]),
    "Chinese letters": (one(key=["猫"]), [], []),
    "an unknown position": (one(position=42), ["position_unknown"], ["placed_nowhere"]),
    "a scan depth of 0": (one(scanDepth=0), [], ["scans_nothing"]),
    "a group name of JavaScript": (one(group="constructor"), [], ["group_reserved_name"]),
    "a logic as a text": (one(keysecondary=["x"], selectiveLogic="1"), ["odd_value"], ["odd_value", "logic_unknown"]),
    "an odd value": (one(constant="yes", key=[]), ["odd_value"], ["odd_value"]),
}


@pytest.mark.parametrize(("entries", "native", "sillytavern"), DIFFERENT.values(), ids=DIFFERENT.keys())
def test_profiles_apart(entries, native, sillytavern):
    assert codes(entries) == native
    assert codes(entries, policy=PROFILES["sillytavern"]) == sillytavern


def test_recursion_off():
    from lorewright.core.policy import Settings

    off = NATIVE.with_settings(Settings(recursive=False))

    assert codes(one(delayUntilRecursion=True), policy=off) == ["recursion_off"]
    # The second of two levels opens a recursion loop in any case.
    assert codes([{"delayUntilRecursion": 1}, {"delayUntilRecursion": 2, "key": ["b"]}], policy=off) == []


# The estimate counts a quarter of the letters; a context of 400 has a budget of 100 tokens.
EXACT, OVER = "x" * 400, "x" * 404


@pytest.mark.parametrize(
    ("entries", "native", "sillytavern"),
    [
        (one(content=EXACT), [], ["entry_over_budget"]),
        (one(content=OVER), ["entry_over_budget"], ["entry_over_budget"]),
        (one(content=OVER, ignoreBudget=True), [], []),
        (
            [{"constant": True, "content": "x" * 300}, {"constant": True, "key": ["b"], "content": "x" * 300}],
            ["constants_over_budget"],
            ["constants_over_budget"],
        ),
    ],
)
def test_budget(entries, native, sillytavern):
    assert codes(entries, context_tokens=400) == native
    assert codes(entries, context_tokens=400, policy=PROFILES["sillytavern"]) == sillytavern


def test_every_finding_names_its_place():
    for finding in check([*(entry for entries, _ in BOTH.values() for entry in entries)]):
        assert finding.book == "b"
        assert finding.entry.startswith("b.")
        assert finding.field
        assert finding.message.endswith(".")


def test_every_check_says_what_it_looks_for():
    assert all(check.__doc__ for check in CHECKS)
    assert len(set(CHECKS)) == len(CHECKS)


@pytest.mark.parametrize("key", ["/" + "(a+)+" * 20_000 + "/", "/" + "(" * 100_000 + "/", "a, " * 30_000])
def test_long_keys_are_told_in_short(key):
    found = check(one(key=[key]))

    assert found
    assert all(len(finding.message) < 1_000 for finding in found)


@pytest.mark.parametrize(
    ("keys", "words"), [(["cat"], "Key 'cat' is also in b.1;"), (["cat", "dog"], "Keys 'cat', 'dog' are also in b.1;")]
)
def test_one_key_or_several(keys, words):
    assert check([{"key": keys}, {"key": keys}])[0].message.startswith(words)


def test_a_shared_key_is_only_an_information():
    assert [found.level for found in check([{}, {}])] == ["info"]


def test_a_broken_regex_is_told_without_the_name_of_the_backend():
    message = check(one(key=["/a(/"]))[0].message

    assert "ecmaregex" not in message
    assert message.count("/a(/") == 1
    assert "(unterminated group" in message


@pytest.mark.parametrize(
    ("folder", "folders", "found"),
    [
        ("secrte", [{"name": "secret", "gate": {"flag": "f"}}], ["unknown_folder"]),
        ("secrte", [{"name": "secret"}], ["unknown_folder"]),
        ("secret", [{"name": "secret"}], []),
        ("", [{"name": "secret"}], []),
        ("anything", [], []),
    ],
)
def test_a_folder_that_the_book_does_not_list(folder, folders, found):
    """An entry that stays closed, or is where nobody looks for it: a misspelt folder is told."""
    entry = {"uid": 1, "keys": ["dragon"], "content": "x", "folder": folder, "position": 0, "order": 1}

    assert [finding.code for finding in check_native([entry], folders=folders)] == found


@pytest.mark.parametrize(
    ("find", "why"),
    [
        ("/x/zz", "the flag z is not known"),
        ("/x/gd", "the flag d is not known"),
        ("/x/gI", "the flag I is not known"),
        ("/a/b/g", "a slash inside must be written \\/"),
        (" /x/g\n", "there is white space around it"),
        *[(fine, "") for fine in ("/x/gi", r"/a\/b/", "x", "a/b", r"\/x\/zz", "/home/lighthouse", "//", "/x", "")],
    ],
)
def test_a_pattern_to_replace_whose_slashes_are_part_of_it_is_told(find, why):
    """What looks like /pattern/flags and is none replaces something else than somebody meant, or nothing."""
    rules = [{"find": "y"}, {"find": find or "z", "replace": "-"}]
    entry = {"uid": 1, "keys": ["dragon"], "content": "x", "position": 0, "order": 1, "replaces": rules}
    found = check_native([entry])

    assert [(one.code, one.entry, one.field) for one in found] == [("replace_not_regex", "b.1", "replaces")] * bool(why)
    assert all(f"({why})" in one.message for one in found)


@pytest.mark.parametrize("rule", [{"find": "("}, {"find": "/(/g"}, {"find": "/x/gg"}, {"find": "x", "flags": "zz"}])
def test_a_pattern_to_replace_that_does_not_compile_is_told_once(rule):
    entry = {"uid": 1, "keys": ["dragon"], "content": "x", "position": 0, "order": 1, "replaces": [rule]}

    assert [(one.code, one.level) for one in check_native([entry])] == [("replaces_not_usable", "error")]
