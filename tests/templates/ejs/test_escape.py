"""What code of a book cannot reach or change: the machine, other books, other chats, later texts."""

import os
import sys
from dataclasses import replace
from pathlib import Path
from typing import get_args

import pytest

from lorewright.templates.ejs import FunctionSet, Limits, Output, Refused, Scene, Value
from lorewright.templates.ejs.process import Process, engine_path

SCENE = Scene(
    names={"user": "Ann", "list": [3, 1, 2]},
    variables={"local": {"mood": "calm", "deep": {"a": [1, 2]}}},
)


SETS: tuple[FunctionSet, ...] = get_args(FunctionSet)


def open_generation(sandbox, answer=lambda request: Value("answer"), scene=SCENE, trusted=("main",)):
    return sandbox.generation(scene, answer, trusted)


@pytest.fixture(scope="module", params=SETS)
def scene(request):
    """The scene with each set of functions."""
    return replace(SCENE, functions=request.param)


def text_of(found):
    assert isinstance(found, Output), found
    return found.text


# -- the machine -------------------------------------------------------------------------------------------------------


@pytest.mark.parametrize(
    "name",
    [
        "process", "require", "module", "exports", "std", "os", "print_", "fetch", "XMLHttpRequest", "WebSocket",
        "setTimeout", "setInterval", "Deno", "Bun", "window", "document", "python", "load", "scriptArgs", "Worker",
        "WebAssembly", "navigator", "performance", "SharedArrayBuffer", "Atomics", "WeakRef", "FinalizationRegistry",
        "eval", "ejs", "lodash", "ejsSource", "lodashSource", "scene", "current", "compiled", "asks", "frames",
    ],
)  # fmt: skip
def test_nothing_of_the_host_has_a_name(sandbox, name):
    with open_generation(sandbox) as generation:
        assert text_of(generation.render("main", f"<%= typeof {name} %>")) == "undefined"


@pytest.mark.parametrize("module", ["os", "std", "fs", "./x.js", "file:" + "///etc/passwd", "bjson"])
def test_no_module_can_be_imported(sandbox, module):
    with open_generation(sandbox) as generation:
        found = generation.render("main", f"<%= Object.keys(await import('{module}')) %>")

    assert isinstance(found, Refused)
    assert "could not load module" in found.message


def test_the_function_constructor_gives_nothing_but_the_bare_global_object(sandbox):
    code = "<%= Object.keys((() => {}).constructor('return this')()).join() %>"
    with open_generation(sandbox) as generation:
        assert text_of(generation.render("main", code)) == ""


def _start():
    engine = engine_path()
    assert engine
    process = Process(engine, Limits())
    process.send_zone(0)
    scene = b'{"begin":{"set":"bme","names":{},"variables":{},"definitions":{},"chat":"[]","now":0,"outputBytes":1}}'
    process.exchange(scene, 5, 5)
    return process


needs_proc = pytest.mark.skipif(not Path("/proc/self/limits").exists(), reason="only Linux shows a process's limits")


@needs_proc
def test_the_process_has_no_environment_no_files_and_no_rights_to_open_any():
    process = _start()
    try:
        folder = Path(f"/proc/{process._process.pid}")
        limits = (folder / "limits").read_text("ascii")
        rows = {line[:25].strip(): line[25:].split()[:2] for line in limits.splitlines()[1:]}

        assert (folder / "environ").read_bytes() == b""
        assert {name.name for name in (folder / "fd").iterdir()} == {"0", "1", "2"}
        assert (folder / "fd" / "2").readlink() == Path(os.devnull)
        assert (folder / "cwd").readlink() == Path(os.sep)
        assert rows["Max open files"] == ["0", "0"]
        assert rows["Max file size"] == ["0", "0"]
        assert rows["Max processes"] == ["0", "0"]
        assert rows["Max core file size"] == ["0", "0"]
        assert int(rows["Max cpu time"][1]) <= 15
        assert int(rows["Max address space"][1]) <= 512 * 1024 * 1024
    finally:
        process.close()


def test_the_secrets_of_this_process_are_not_handed_down(monkeypatch, sandbox):
    monkeypatch.setenv("LOREWRIGHT_TEST_SECRET", "s3cr3t")
    process = _start()
    try:
        listing = Path(f"/proc/{process._process.pid}/environ")
        if listing.exists():
            assert b"s3cr3t" not in listing.read_bytes()
        assert "s3cr3t" not in " ".join(process._process.args)
    finally:
        process.close()


def test_a_process_ends_with_its_generation(sandbox):
    with open_generation(sandbox) as generation:
        generation.render("main", "<%= 1 %>")
        process = generation._contexts["main"].process._process
        assert process.poll() is None

    assert process.poll() is not None


def test_starting_one_imports_next_to_nothing():
    assert sys.executable
    source = (Path(__file__).parents[3] / "src/lorewright/templates/ejs/worker.py").read_text("utf-8")

    assert "lorewright" not in source.replace("of this package", "")


# -- other books and chats ---------------------------------------------------------------------------------------------


def test_books_do_not_share_a_context(sandbox):
    with open_generation(sandbox, trusted=("main", "other")) as generation:
        generation.render("main", "<% Object.defineProperty(globalThis, 'mark', {value: 1}) %>")

        assert text_of(generation.render("other", "<%= typeof mark %>")) == "undefined"
        assert len(generation._contexts) == 1  # that of `main` was thrown away, since nobody can clean it


def test_generations_do_not_share_a_context(sandbox):
    for secret in ("first", "second"):
        with open_generation(sandbox, scene=Scene(variables={"local": {secret: 1}})) as generation:
            found = text_of(generation.render("main", "<%= Object.keys(variables).join() %><% globalThis.mark = 1 %>"))

        assert found == secret


# -- what comes after --------------------------------------------------------------------------------------------------

PROBES = [
    "<%= user %>|<%= getvar('mood') %>|<%= getvar('deep.a').length %>|<%= list.join() %>",
    "<%= [3, 1, 2].sort().map(x => x * 2).filter(x => x > 2).join('-') %>|<%= 'aXb'.replace('X', '-').toUpperCase() %>",
    "<%= _.has({a: {b: 1}}, 'a.b') %>|<%= _.get({a: [1]}, 'a[0]') %>|<%= _.merge({a: 1}, {b: 2}).b %>|<%= _.uniqueId('u') %>",
    "<%= JSON.stringify({a: [1, null]}) %>|<%= JSON.parse('[1]')[0] %>|<%= parseJSON('{}') %>|<% print('a', 1) %>",
    "<%= new Date(0).toISOString() %>|<%= Date.now() %>|<%= Math.max(1, 2) %>|<%= Math.random() < 1 %>",
    "<%= await Promise.resolve('p') %>|<%= (await Promise.all([1, 2])).join() %>|<%= await getwi('x') %>",
    "<%= [...new Set([1, 1])].length %>|<%= new Map([[1, 2]]).get(1) %>|<%= [...'ab'].join() %>|<%= /a(b)/.exec('ab')[1] %>",
    "<%= String({}) %>|<%= `${[1, 2]}` %>|<%= Object.keys({a: 1}).join() %>|<%= ({}).constructor === Object %>",
    "<%= (function () { return typeof this })() %>|<%= (() => {}).constructor.name %>|<%= new Error('e').message %>",
    "<% for (const k in {a: 1}) { %><%= k %><% } %>|<%= typeof stolen %>|<%= typeof mark %>|<%= ({}).mark %>|<%= [].mark %>",
    "<%= Object.getOwnPropertyNames(globalThis).length %>|<%= Object.isExtensible(globalThis) %>|<%= getwi.mark %>|<%= print.mark %>",
    "<%= getChatMessages(1).length %>|<%= variables.mood %>|<%= Reflect.ownKeys(this).length %>|<%= typeof rethrow.mark %>",
]  # fmt: skip

ATTACKS = {
    "Object.prototype": "Object.prototype.mark = 1; Object.prototype.toString = () => 'evil'; ({}).__proto__.mark = 1",
    "defineProperty": "Object.defineProperty(Object.prototype, 'mark', {value: 1, configurable: true})",
    "__defineGetter__": "Object.prototype.__defineGetter__('mark', () => 1)",
    "Array.prototype": "Array.prototype.map = () => ['evil']; Array.prototype.mark = 1; [].__proto__.join = () => 'evil'",
    "iterators": "[][Symbol.iterator]().__proto__.next = () => ({done: true}); Array.prototype[Symbol.iterator] = null",
    "String.prototype": "String.prototype.replace = () => 'evil'; ''.__proto__.mark = 1",
    "RegExp.prototype": "RegExp.prototype.exec = () => null; RegExp.prototype.test = () => true",
    "Promise.prototype": "Promise.prototype.then = () => {}; Promise.resolve = () => 'evil'; Promise.all = null",
    "constructors": "Object = Array = Promise = Map = Set = Date = JSON = Math = String = null",
    "globalThis": "for (const n of ['Object', 'JSON', 'Math', 'Date', 'Promise', '_']) globalThis[n] = 'evil'",
    "delete": "for (const n of Object.getOwnPropertyNames(globalThis)) delete globalThis[n]",
    "JSON": "JSON.stringify = () => 'evil'; JSON.parse = () => 'evil'",
    "Math and Date": "Math.random = () => 7; Math.max = () => 7; Date.now = () => 7; Date.prototype.toISOString = () => 'x'",
    "clock": "Date = class { static now() { return 7 } }",
    "Function.prototype": "Function.prototype.call = null; Function.prototype.apply = () => 'evil'; (() => {}).__proto__.mark = 1",
    "async functions": "(async () => {}).constructor.prototype.mark = 1; Object.getPrototypeOf(async () => {}).constructor = null",
    "Function": "(() => {}).constructor('Object.prototype.mark = 1; stolen = this')()",
    "global names": "stolen = 1; globalThis.mark = 2; this.constructor = null",
    "accessors": "Object.defineProperty(globalThis, 'stolen', {get: () => 1, set: () => {}, configurable: true})",
    "lasting names": "Object.defineProperty(globalThis, 'stolen', {value: 1})",
    "prevent": "Object.preventExtensions(globalThis)",
    "freeze": "Object.freeze(globalThis)",
    "chain": "Object.setPrototypeOf(globalThis, {stolen: 1})",
    "chain of a scope": "Object.setPrototypeOf(Object.getPrototypeOf(this), {stolen: 1})",
    "helpers": "getwi = getvar = print = parseJSON = () => 'evil'; getwi.mark = 1; this.user = 'evil'; user = 'evil'",
    "helpers in the chain": "const p = Object.getPrototypeOf(this); p.user = 'evil'; delete p.getwi; Object.defineProperty(p, 'user', {value: 1})",
    "accessor functions": "const d = Object.getOwnPropertyDescriptor(Object.getPrototypeOf(this), 'user'); d.get.mark = 1; d.get.call = null",
    "properties of helpers": "for (const f of [getwi, print, parseJSON, getvar, escapeFn, include]) f.mark = 1",
    "template functions": "for (const f of arguments) if (f) { f.mark = 1; f.call = null }",
    "values": "variables.mood = 'evil'; getvar('deep').a.push(9); list.push(9); getvar('deep').mark = 1",
    "values in the chain": "Object.getPrototypeOf(variables).mark = 1; Object.getPrototypeOf(list).mark = 1",
    "lodash": "_.has = () => 'evil'; _.mark = 1; _.prototype.mark = 1; _.mixin({has: () => 'evil', mark: 1}); _.get.mark = 1",
    "lodash counters": "for (let i = 0; i < 5; i++) _.uniqueId('u')",
    "lodash settings": "_.templateSettings.interpolate = /x/g; _.templateSettings.imports._ = null; _.templateSettings.imports.mark = 1",
    "lodash caches": "_.memoize.Cache = null; const c = _.memoize(x => x); c('a'); Object.getPrototypeOf(c.cache.__data__.string).get = () => 'evil'",
    "lodash maps": "const c = _.memoize(x => x); c({}); c('a'); c.cache.__proto__.get = () => 'evil'; c.cache.__data__.map.__proto__.get = () => 'evil'",
    "lodash stacks": "_.isEqualWith({a: [1]}, {a: [1]}, (...g) => { if (g[5]) Object.getPrototypeOf(g[5]).get = () => 'evil' })",
    "lodash merges": "_.mergeWith({}, {a: [1]}, (...g) => { if (g[5]) Object.getPrototypeOf(g[5]).set = () => 'evil' })",
    "lodash merge": "_.merge({}, JSON.parse('{\"__proto__\": {\"mark\": 1}}')); _.set({}, '__proto__.mark', 1); _.set({}, 'constructor.prototype.mark', 1)",
    "lodash prototype": "_.defaultsDeep({}, JSON.parse('{\"constructor\": {\"prototype\": {\"mark\": 1}}}')); _.zipObjectDeep(['__proto__.mark'], [1])",
    "errors": "Error.prepareStackTrace = () => 'evil'; Error.stackTraceLimit = 0; Error.prototype.message = 'evil'",
    "a thrown error": "throw Object.assign(new Error('x'), {code: 'evil', helperName: 'evil'})",
    "a thrown proxy": "throw new Proxy({}, {get() { throw 1 }})",
    "a thrown thing": "throw null",
    "symbols": "Object.prototype[Symbol.toPrimitive] = () => 'evil'; Array.prototype[Symbol.unscopables] = null; Symbol.for('mark').x = 1",
    "what is left running": "(async () => { for (let i = 0; i < 50; i++) await null; globalThis.stolen = 1; Object.prototype.mark = 1 })()",
    "what waits for ever": "new Promise(() => {}).then(() => { globalThis.stolen = 1 }); (async () => { await getwi('x'); stolen = 1 })()",
    "answers": "getwi('x').then(() => { globalThis.stolen = 1 }); getwi('x').then.mark = 1",
    "thenables": "await {then(resolve) { globalThis.stolen = 1; resolve(1) }}",
    "generators": "Object.getPrototypeOf(function* () {}).prototype.next = () => ({done: true}); (function* () {})().__proto__.__proto__.mark = 1",
    "typed arrays": "Object.getPrototypeOf(Uint8Array.prototype).fill = null; Object.getPrototypeOf(Uint8Array).mark = 1",
    "iterator helpers": "Iterator.prototype.map = null; Iterator.from({next() {}}).__proto__.next = null",
    "recursion": "const f = () => { try { f() } catch (e) { getwi = null; f.mark = 1; throw e } }; f()",
    "memory": "const a = []; for (;;) a.push('x'.repeat(1e5) + a.length)",
    "memory, caught": "try { const a = []; for (;;) a.push('x'.repeat(1e5) + a.length) } catch {}",
    "the output": "__append = () => {}; __output = 'evil'; escapeFn = () => 'evil'; print = null",
    "locals": "locals.user = 'evil'; locals = null",
    "what is sent": "const r = /a/; Object.defineProperty(r, 'source', {value: {toJSON() { stolen = 1 }}}); getwi(r); getwi({toJSON() { stolen = 1 }})",
    "the end": "throw {message: {toString() { Promise.resolve().then(() => { globalThis.stolen = 1 }); return 'x' }}}",
    "after the end": "setvar('x', {toJSON() { Promise.resolve().then(async () => { await null; globalThis.stolen = 1 }) }})",
    "writing": "setvar('mood', 'evil'); setvar('__proto__.mark', 1); patchVariables(null, [{op: 'add', path: '/mood', value: 1}])",
    "definitions of globals": "for (const n of ['Object', 'JSON', 'Array', '_']) try { define(n, 'evil') } catch {}",
    "a definition": "define('stolen', 1); define('user', 'evil'); define('getwi', function () { return 'evil' })",
    "an accessor in a value": "setvar('mood', {toJSON() { globalThis.stolen = 1; return 'evil' }})",
}  # fmt: skip


@pytest.fixture(scope="module")
def untouched(sandbox, scene):
    """What the probes give where nobody was before."""
    with open_generation(sandbox, scene=scene) as generation:
        found = [generation.render("main", probe) for probe in PROBES]
    assert all(isinstance(item, Output) for item in found), found
    return found


@pytest.mark.parametrize("attack", ATTACKS.values(), ids=ATTACKS.keys())
def test_an_attack_changes_nothing_that_another_text_can_see(sandbox, scene, untouched, attack):
    with open_generation(sandbox, scene=scene) as generation:
        generation.render("main", f"<% {attack} %>")

        assert [generation.render("main", probe) for probe in PROBES] == untouched


def test_a_text_that_is_rendered_again_finds_nothing_of_the_last_time(sandbox, scene):
    code = "<% const f = arguments.callee; try { f.count = (f.count ?? 0) + 1 } catch {} %><%= f.count %>"
    with open_generation(sandbox, scene=scene) as generation:
        assert [text_of(generation.render("main", code)) for _ in range(2)] == ["", ""]


WALK = """<%
const shared = [];
const seen = new Set([this, arguments, arguments[2]]);  // made for this text alone
const samples = [
  globalThis, Object.getPrototypeOf(this), ...[...arguments].slice(1), [], {}, "", 1, true, Symbol(), 1n, /x/, () => {},
  async () => {}, function* () {}, async function* () {}, new Map(),
  new Set(), new Map().values(), new Set().values(), [].values(), "a".matchAll(/a/g), "a"[Symbol.iterator](),
  Promise.resolve(), new Error(), new Date(), new Proxy({}, {}), new Uint8Array(1), new DataView(new ArrayBuffer(1)),
  [].values().map(x => x), Iterator.from({next() {}}), new WeakMap(), new WeakSet(), arguments, _([1]), _([1]).map(x => x),
  _.chain([1]), _([1]).map(x => x).__wrapped__,
];
const memo = _.memoize(x => x);
for (const key of ["a", 1, null, {}]) memo(key);
samples.push(memo.cache, memo.cache.__data__, ...Object.values(memo.cache.__data__));
_.isEqualWith({a: [1]}, {a: [1]}, (...given) => void samples.push(given[5]));
_.mergeWith({}, {a: [1]}, (...given) => void samples.push(given[5]));
_.cloneDeepWith({a: [1]}, (...given) => void samples.push(given[3]));
const waiting = [];
for (const [place, sample] of samples.entries()) {
  if (sample !== undefined && sample !== null) waiting.push([sample.__proto__, `sample ${place}`]);
}
waiting.push([globalThis, "globalThis"], [_, "_"], [arguments[1], "escape"], [arguments[3], "rethrow"]);
while (waiting.length) {
  const [value, path] = waiting.pop();
  if (value === null || (typeof value !== "object" && typeof value !== "function") || seen.has(value)) continue;
  seen.add(value);
  if (value !== globalThis && !Object.isFrozen(value)) shared.push(path);
  waiting.push([Object.getPrototypeOf(value), path + ".__proto__"]);
  for (const key of Reflect.ownKeys(value)) {
    const found = Object.getOwnPropertyDescriptor(value, key);
    for (const part of ["value", "get", "set"]) waiting.push([found[part], `${path}.${String(key)}`]);
  }
}
%><%= shared.join("\\n") %>|<%= seen.size > 500 %>"""


def test_everything_that_texts_share_is_frozen(sandbox, scene):
    with open_generation(sandbox, scene=scene) as generation:
        assert text_of(generation.render("main", WALK)) == "|true"


def test_functions_of_a_text_are_its_own_or_frozen(sandbox, scene):
    code = """<% for (const name of Object.getOwnPropertyNames(Object.getPrototypeOf(this))) {
      try { this[name].mark = name } catch {}
    } %>"""
    read = """<% const found = [];
    for (const name of Object.getOwnPropertyNames(Object.getPrototypeOf(this))) {
      try { if (this[name].mark !== undefined) found.push(name) } catch {}
    } %><%= found.join() %>"""
    with open_generation(sandbox, scene=scene) as generation:
        generation.render("main", code)

        assert text_of(generation.render("main", read)) == ""
