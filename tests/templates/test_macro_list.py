"""The rows of the macros against the list of spec/macros.md §C, copied by hand: name, aliases, hidden aliases,
arguments (`#` an integer, `?` optional, `...` any number), kind."""

from lorewright.templates.sillytavern import MACROS

LIST = """
space |  |  | #count? | D
newline |  |  | #count? | D
noop |  |  |  | D
trim |  |  | content? | B/D
if |  |  | condition, content | B
else |  |  |  | B
input |  |  |  | S
maxPrompt | maxPromptTokens |  |  | S
maxContext | maxContextTokens |  |  | S
maxResponse | maxResponseTokens |  |  | S
reverse |  |  | value | D
// |  | comment | comment | D
roll |  |  | formula | R
random |  |  | items... | R
pick |  |  | items... | D
banned |  |  | word | W
outlet |  |  | key | S
user |  |  |  | D
char |  |  |  | D
groupNotMuted |  |  |  | D
notChar |  |  |  | D
group |  | charIfNotGroup |  | D
charPrompt |  |  |  | D
charInstruction |  |  |  | D
persona |  |  |  | D
charDepthPrompt |  |  |  | D
mesExamplesRaw |  |  |  | D
mesExamples |  |  |  | D
charDescription | description |  |  | D
charPersonality | personality |  |  | D
charScenario | scenario |  |  | D
charCreatorNotes | creatorNotes |  |  | D
charFirstMessage | greeting |  | #index? | D
charVersion |  | version, char_version |  | D
model |  |  |  | S
original |  |  |  | D
isMobile |  |  |  | S
lastGenerationType |  |  |  | S
hasExtension |  |  | name | S
lastMessage |  |  |  | S
lastMessageId |  |  |  | S
lastUserMessage |  |  |  | S
lastCharMessage |  |  |  | S
firstIncludedMessageId |  |  |  | S
firstDisplayedMessageId |  |  |  | S
lastSwipeId |  |  |  | S
currentSwipeId |  |  |  | S
allChatRange |  |  |  | S
time |  |  | offset? | T
date |  |  |  | T
weekday |  |  |  | T
isotime |  |  |  | T
isodate |  |  |  | T
datetimeformat |  |  | pattern | T
idleDuration |  | idle_duration |  | T/S
timeDiff |  |  | left, right | D
setvar |  |  | name, value | W
addvar |  |  | name, value | W
incvar |  |  | name | W
decvar |  |  | name | W
getvar |  |  | name | S
hasvar | varexists |  | name | S
deletevar | flushvar |  | name | W
setvarkey | setvarindex |  | name, key, value | W
getvarkey | getvarindex |  | name, key | S
setglobalvar |  |  | name, value | W
addglobalvar |  |  | name, value | W
incglobalvar |  |  | name | W
decglobalvar |  |  | name | W
getglobalvar |  |  | name | S
hasglobalvar | globalvarexists |  | name | S
deleteglobalvar | flushglobalvar |  | name | W
setglobalvarkey | setglobalvarindex |  | name, key, value | W
getglobalvarkey | getglobalvarindex |  | name, key | S
instructStoryStringPrefix |  |  |  | S
instructStoryStringSuffix |  |  |  | S
instructUserSuffix |  |  |  | S
instructSystemPrefix |  |  |  | S
instructSystemSuffix |  |  |  | S
instructStop |  |  |  | S
instructUserFiller |  |  |  | S
instructSystemInstructionPrefix |  |  |  | S
instructUserPrefix | instructInput |  |  | S
instructAssistantPrefix | instructOutput |  |  | S
instructAssistantSuffix | instructSeparator |  |  | S
instructFirstAssistantPrefix | instructFirstOutputPrefix |  |  | S
instructLastAssistantPrefix | instructLastOutputPrefix |  |  | S
instructFirstUserPrefix | instructFirstInput |  |  | S
instructLastUserPrefix | instructLastInput |  |  | S
defaultSystemPrompt | instructSystem, instructSystemPrompt |  |  | S
systemPrompt |  |  |  | S
exampleSeparator | chatSeparator |  |  | S
chatStart |  |  |  | S
authorsNote |  |  |  | S
charAuthorsNote |  |  |  | S
defaultAuthorsNote |  |  |  | S
reasoningPrefix |  |  |  | S
reasoningSuffix |  |  |  | S
reasoningSeparator |  |  |  | S
summary |  |  |  | S
defaultExpression |  |  |  | S
availableExpressions |  |  |  | S
lastExpression |  |  | name? | S
charPrefix |  |  |  | S
charNegativePrefix |  |  |  | S
"""


def rows():
    for line in LIST.strip().splitlines():
        name, aliases, hidden, arguments, kind = (cell.strip() for cell in line.split("|"))
        lists = ([item for item in cell.split(", ") if item] for cell in (aliases, hidden, arguments))
        yield name, *map(tuple, lists), sorted(kind.replace("/", ""))


def test_the_rows_are_those_of_the_list():
    ours = {m.name: (m.name, m.aliases, m.hidden, m.arguments, sorted(m.kind)) for m in MACROS}

    assert ours == {row[0]: row for row in rows()}


def test_there_are_105_macros_and_31_aliases():
    assert len(MACROS) == 105
    assert sum(len(m.aliases) + len(m.hidden) for m in MACROS) == 31
