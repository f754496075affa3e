import pytest

from lorewright.lint.nesting import has_nested_repetition

NESTED = (
    "(a+)+ (a*)* (x+x+)+y (?:a+|b)* ((a+))+ (\\w+\\s?)*$ (\\s*\\w+\\s*,?)+ (a{2,})* (?<n>a*)* (a+?)+ ([ab]+)* (^a+)*"
)
FINE = r"(\w+\s)+ (a+b)* (foo|bar)+ (a|a)* (?=a+)+ (?!a+)* [(a+)+] \(a+\)+ (a+)? (a+){2} (a{2,3})+ a+b+ () ( ) * ()*"


@pytest.mark.parametrize("pattern", NESTED.split(" "))
def test_nested(pattern):
    assert has_nested_repetition(pattern)


@pytest.mark.parametrize("pattern", FINE.split(" "))
def test_not_nested(pattern):
    assert not has_nested_repetition(pattern)
