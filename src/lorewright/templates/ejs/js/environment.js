/* The world that code of a book finds: no clock, dice or engine internals of its own, and nothing that it could change
   for somebody else. Runs once in a fresh context, before any code of a book. */

/* The entry whose code runs (runtime.js), and when it is. */
const current = { entry: null, now: 0 };

/* -- what is taken away ---------------------------------------------------------------------------------------------
   `eval` at global level would leave bindings behind that nobody can remove; the others tell the time, wait, run code
   when memory is freed, or let one text hook into the errors of another. */

for (const name of [
  "eval", "performance", "Atomics", "SharedArrayBuffer", "WeakRef", "FinalizationRegistry", "DOMException", "navigator",
]) {
  delete globalThis[name];
}
for (const name of ["stackTraceLimit", "prepareStackTrace", "captureStackTrace"]) {
  delete Error[name];
}

/* -- time and chance ------------------------------------------------------------------------------------------------ */

const EngineDate = Date;

function tellTime() {
  current.entry?.reads.add("clock");
  return current.now;
}

function InjectedDate(...parts) {
  if (new.target === undefined) return new EngineDate(tellTime()).toString();
  return Reflect.construct(EngineDate, parts.length ? parts : [tellTime()], new.target);
}

Object.defineProperties(InjectedDate, {
  name: { value: "Date" },
  length: { value: 7 },
  prototype: { value: EngineDate.prototype },
  now: { value: tellTime },
  parse: { value: EngineDate.parse },
  UTC: { value: EngineDate.UTC },
});
Object.defineProperty(EngineDate.prototype, "constructor", { value: InjectedDate });
globalThis.Date = InjectedDate;

Math.random = function random() {
  current.entry?.reads.add("random");
  return current.entry?.random() ?? 0;
};

/* Numbers in [0, 1) that follow from a text: a counter that goes through the mixing steps of splitmix32. */
function generator(seed) {
  let state = 0x811c9dc5;
  for (let place = 0; place < seed.length; place++) state = Math.imul(state ^ seed.charCodeAt(place), 0x01000193);
  return () => {
    state = (state + 0x9e3779b9) | 0;
    let mixed = Math.imul(state ^ (state >>> 16), 0x21f0aaad);
    mixed = Math.imul(mixed ^ (mixed >>> 15), 0x735a2d97);
    return ((mixed ^ (mixed >>> 15)) >>> 0) / 2 ** 32;
  };
}

/* -- libraries ------------------------------------------------------------------------------------------------------ */

function load(name, source) {
  Function(source).call(globalThis);
  const library = globalThis[name];
  delete globalThis[name];
  return library;
}

const ejs = load("ejs", ejsSource);
const lodash = load("_", lodashSource);
lodash.uniqueId = (prefix = "") => `${prefix}${++current.entry.made}`; /* theirs counts for all texts together */

/* -- what is frozen ------------------------------------------------------------------------------------------------- */

/* An object that inherits a frozen value cannot be given one of its own by assignment. Prototypes whose names are
   assigned to in practice get accessors that define the name on the object itself. */
function allowOverriding(prototype) {
  for (const name of Reflect.ownKeys(prototype)) {
    const found = Reflect.getOwnPropertyDescriptor(prototype, name);
    if (!found.configurable || !("value" in found)) continue;
    const { value, enumerable } = found;
    Object.defineProperty(prototype, name, {
      enumerable,
      configurable: true,
      get: () => value,
      set(changed) {
        if (this === prototype) throw new TypeError(`${String(name)} cannot be changed here`);
        Object.defineProperty(this, name, { value: changed, writable: true, enumerable: true, configurable: true });
      },
    });
  }
}

const frozen = new WeakSet();

/* Freeze values and all that they lead to. */
function freezeAll(...waiting) {
  while (waiting.length) {
    const value = waiting.pop();
    if ((typeof value !== "object" && typeof value !== "function") || value === null || frozen.has(value)) continue;
    frozen.add(value);
    waiting.push(Reflect.getPrototypeOf(value));
    for (const name of Reflect.ownKeys(value)) {
      const found = Reflect.getOwnPropertyDescriptor(value, name);
      waiting.push(found.value, found.get, found.set);
    }
    if (value !== globalThis) Object.freeze(value);
  }
}

/* Objects that no global name leads to, but a text can get hold of. */
function* hidden() {
  yield function* () {}.prototype;
  yield (async () => {}).constructor;
  yield (async function* () {}).prototype;
  yield (async function* () {}).constructor;
  yield (function* () {}).constructor;
  for (const iterable of [[], "", new Map(), new Set(), "a".matchAll(/a/g), [].values().map((x) => x)]) {
    yield Reflect.getPrototypeOf(iterable[Symbol.iterator]());
  }
  yield Reflect.getPrototypeOf(Iterator.from({ next: () => ({ done: true }) }));
  const memory = lodash.memoize((key) => key);
  for (const key of ["a", 1, {}]) memory(key);
  yield memory.cache;
  for (const compare of [lodash.isEqualWith, lodash.isMatchWith]) {
    const seen = [];
    compare({ a: [1] }, { a: [1] }, (...given) => void seen.push(given[5]));
    yield* seen;
  }
  const copied = [];
  lodash.cloneDeepWith({ a: [1] }, (...given) => void copied.push(given[3]));
  lodash.mergeWith({}, { a: [1] }, (...given) => void copied.push(given[5]));
  yield* copied;
  yield lodash([1]).map((x) => x).__wrapped__;
  yield lodash([1]);
  yield lodash.chain([1]);
  yield lodash.template("");
}

/* The functions that a compiled template names. */
function* inTemplates() {
  const found = [];
  new ejs.Template("<% take(arguments) %>", { client: false }).compile()({ take: (given) => found.push(...given) });
  yield* found.slice(1);
}

for (const prototype of [
  Object.prototype, Function.prototype, Error.prototype, EvalError.prototype, RangeError.prototype,
  ReferenceError.prototype, SyntaxError.prototype, TypeError.prototype, URIError.prototype, AggregateError.prototype,
]) {
  allowOverriding(prototype);
}
freezeAll(globalThis, ejs, lodash, ...hidden(), ...inTemplates());
for (const name of Reflect.ownKeys(globalThis)) {
  Object.defineProperty(globalThis, name, { writable: false, configurable: false });
}

/* -- names that a text leaves behind -------------------------------------------------------------------------------- */

const ownGlobals = new Set(Reflect.ownKeys(globalThis));
const globalPrototype = Reflect.getPrototypeOf(globalThis);

/* The names that a text put into the global object, taken out again. */
function takeGlobals() {
  const taken = [];
  for (const name of Reflect.ownKeys(globalThis)) {
    if (ownGlobals.has(name)) continue;
    taken.push([name, Reflect.getOwnPropertyDescriptor(globalThis, name)]);
    Reflect.deleteProperty(globalThis, name);
  }
  return taken;
}

/* Whether the global object is as it was before any text. */
function isClean() {
  return (
    Reflect.ownKeys(globalThis).length === ownGlobals.size &&
    Reflect.isExtensible(globalThis) &&
    Reflect.getPrototypeOf(globalThis) === globalPrototype
  );
}
