/* Variables: reading them, and writing them on the copy that an entry has (spec templates §2). What is written comes
   out with the entry's text; whether it becomes true is decided outside. */

const SCOPES = ["global", "local", "message", "cache", "initial"];
const FLAGS = ["n", "nx", "xx", "nxs", "xxs"];
const RESULTS = ["new", "old", "fullcache"];
const UNSAFE = ["__proto__", "constructor", "prototype"];

/* Where a scope is kept: messages have none of their own where every message has a conversation's variables of its own. */
const keptIn = (scope) => (scope === "message" && scene.variables.message === undefined ? "local" : scope);

/* A scope as this entry has it: a copy, so that what it does to a value is its own affair. */
function treeOf(frame, scope) {
  const held = frame.entry.variables;
  return (held[scope] ??= JSON.parse(scene.variables[scope] ?? "{}"));
}

/* -- reading -------------------------------------------------------------------------------------------------------- */

/* As the task reader reads them: names between dots. */
function readSimply(frame, path, options, scope) {
  const wanted = scope ?? String(options?.scope ?? "").trim().toLowerCase();
  const known = ["global", "local", "message"].includes(wanted) ? wanted : "cache";
  noteRead(frame, `${known}:${stepsOf(path)[0] ?? ""}`);
  const found = stepInto(treeOf(frame, known), path);
  return found === undefined ? options?.defaults : found;
}

const stepsOf = (path) => String(path ?? "").split(".").filter(Boolean);

function stepInto(value, path) {
  let found = value;
  for (const step of stepsOf(path)) found = found === undefined || found === null ? undefined : found[step];
  return found;
}

const readingSimply = (scope) => (frame) => (path, options) => readSimply(frame, path, options, scope);

function read(frame, key, options, wanted) {
  const scope = keptIn(wanted);
  const tree = treeOf(frame, scope);
  noteRead(frame, `${scope}:${lodash.toPath(key ?? "")[0] ?? ""}`);
  const found = key === null || key === undefined ? tree : lodash.get(tree, key);
  const item = options.index === undefined || options.index === null ? found : itemOf(found, options.index);
  const value = item === undefined ? options.defaults : item;
  return options.clone ? lodash.cloneDeep(value) : value;
}

const reading = (scope) => (frame) => (key, given) => {
  const options = optionsOf(given);
  return read(frame, key, options, scope ?? scopeIn(options.scope, "cache"));
};

/* An item of a list or object, or of one that is written as JSON. */
const itemOf = (value, index) => Object(typeof value === "string" ? parseJson(value) : value)[index];

/* -- options -------------------------------------------------------------------------------------------------------- */

/* Options may be one word (a flag, a scope, a result) or true for a dry run. */
function optionsOf(given) {
  if (typeof given === "boolean") return { dryRun: given };
  if (SCOPES.includes(given)) return { scope: given, inscope: given, outscope: given };
  if (FLAGS.includes(given)) return { flags: given };
  if (RESULTS.includes(given)) return { results: given };
  return Object(given);
}

const scopeIn = (scope, usual) => (SCOPES.includes(scope) ? scope : usual);

/* -- writing -------------------------------------------------------------------------------------------------------- */

/* Put a value at a key: into its scope, and into what all scopes together are. Gives what the options ask for,
   nothing where a condition does not hold. */
function write(frame, key, options, wanted, change) {
  const scope = keptIn(wanted);
  if (scene.dryRun && !options.dryRun) return undefined;
  const path = key === null || key === undefined ? [] : lodash.toPath(key);
  if (path.some((step) => UNSAFE.includes(step))) throw new Error(`${path.join(".")} cannot be the name of a variable`);
  const old = valueAt(treeOf(frame, scope), path);
  if (!mayWrite(frame, path, options.flags, scope)) return undefined;
  const value = change(old);
  for (const name of new Set([scope, "cache"])) {
    const tree = treeOf(frame, name);
    const copy = lodash.cloneDeep(value);
    if (path.length === 0) {
      noteWrites(frame, name, [...Object.keys(tree), ...Object.keys(Object(copy))]);
      for (const each of Object.keys(tree)) delete tree[each];
      Object.assign(tree, lodash.isPlainObject(copy) ? lodash.omit(copy, UNSAFE) : {});
    } else {
      noteWrites(frame, name, [path[0]]);
      if (copy === undefined) lodash.unset(tree, path);
      else lodash.set(tree, path, copy);
    }
  }
  if (options.results === "old") return old;
  return options.results === "fullcache" ? treeOf(frame, "cache") : valueAt(treeOf(frame, scope), path);
}

const valueAt = (tree, path) => (path.length ? lodash.get(tree, path) : tree);

const merged = (old, value) => (lodash.isObject(old) && lodash.isObject(value) ? lodash.merge(lodash.cloneDeep(old), value) : value);

function mayWrite(frame, path, flags, scope) {
  const there = (name) => path.length === 0 || lodash.has(treeOf(frame, name), path);
  switch (flags) {
    case "nx": return !there("cache");
    case "xx": return there("cache");
    case "nxs": return !there(scope);
    case "xxs": return there(scope);
    default: return true;
  }
}

function noteWrites(frame, scope, names) {
  for (const name of names) frame.entry.written.add(`${scope}:${name}`);
}

/* What an entry wrote: scope, name and JSON of each variable; no JSON for one that is gone. */
function writesOf(entry) {
  return [...entry.written].map((place) => {
    const [, scope, name] = /^([^:]*):([^]*)$/.exec(place);
    const json = JSON.stringify(entry.variables[scope][name]);
    return json === undefined ? [scope, name] : [scope, name, json];
  });
}

/* -- the functions -------------------------------------------------------------------------------------------------- */

const setting = (scope) => (frame) => (key, value, given) => {
  const options = optionsOf(given);
  return write(frame, key, options, scope ?? scopeIn(options.scope, "message"), (old) => {
    const next = placed(old, options.index, value);
    return options.merge ? merged(old, next) : next;
  });
};

/* The value itself, or the old list or object with it as an item. */
function placed(old, index, value) {
  if (index === undefined || index === null) return value;
  const isText = typeof old === "string";
  const held = isText ? parseJson(old) : lodash.cloneDeep(old);
  const holder = lodash.isObject(held) ? held : Number.isInteger(Number(index)) ? [] : {};
  lodash.set(holder, [index], value);
  return isText ? JSON.stringify(holder) : holder;
}

const counting = (sign, scope) => (frame) => (key, step = 1, given) => {
  const options = { defaults: 0, ...optionsOf(given) };
  const before = Number(read(frame, key, options, scopeIn(options.inscope, "cache")));
  const sum = before + sign * Number(step);
  if (Number.isNaN(sum)) return undefined;
  const low = Math.max(sum, options.min ?? -Infinity);
  const value = Math.min(low, options.max ?? Infinity);
  const target = scope ?? scopeIn(options.outscope, "message");
  return write(frame, key, options, target, (old) => placed(old, options.index, value));
};

const deleting = (scope) => (frame) => (key, index, given) => {
  const options = optionsOf(given);
  return write(frame, key, options, scope ?? scopeIn(options.scope, "message"), (old) => without(old, index));
};

function without(old, index) {
  if (index === undefined || index === null) return undefined;
  if (typeof old === "string") return old.slice(0, index) + old.slice(Number(index) + 1);
  if (Array.isArray(old)) return old.filter((item, place) => place !== Number(index));
  return lodash.isPlainObject(old) ? lodash.omit(old, [[index]]) : old;
}

const inserting = (scope) => (frame) => (key, value, index, given) => {
  const options = optionsOf(given);
  return write(frame, key, options, scope ?? scopeIn(options.scope, "message"), (old) => inserted(old, value, index));
};

function inserted(old, value, index) {
  const end = index === undefined || index === null;
  if (typeof old === "string") {
    const place = end ? old.length : Number(index);
    return old.slice(0, place) + value + old.slice(place);
  }
  if (Array.isArray(old)) return old.toSpliced(end ? old.length : Number(index), 0, value);
  return lodash.isPlainObject(old) && !end && !UNSAFE.includes(String(index)) ? { ...old, [index]: value } : old;
}

const patching = (frame) => (key, changes, given) => {
  const options = optionsOf(given);
  return write(frame, key, options, scopeIn(options.scope, "message"), (old) => patched(old, changes));
};

/* -- JSON Patch (RFC 6902) ------------------------------------------------------------------------------------------ */

function patched(document, changes) {
  if (!Array.isArray(changes)) throw new Error("a JSON Patch is a list of changes");
  const root = { document: lodash.cloneDeep(document) };
  for (const { op, path, from, value } of changes) {
    switch (op) {
      case "add": addAt(root, path, value); break;
      case "remove": removeAt(root, path); break;
      case "replace": removeAt(root, path); addAt(root, path, value); break;
      case "move": addAt(root, path, removeAt(root, from)); break;
      case "copy": addAt(root, path, lodash.cloneDeep(foundAt(root, from))); break;
      case "test":
        if (!lodash.isEqual(foundAt(root, path), value)) throw new Error(`the test of ${path} in a JSON Patch fails`);
        break;
      default: throw new Error(`a JSON Patch has no operation ${op}`);
    }
  }
  return root.document;
}

/* Where a pointer leads: the object or list that holds it, and the last step. */
function placeOf(root, pointer) {
  const steps = String(pointer).split("/").map((step) => step.replaceAll("~1", "/").replaceAll("~0", "~"));
  if (steps.shift() !== "" || steps.some((step) => UNSAFE.includes(step))) throw new Error(`${pointer} is no JSON Pointer`);
  const last = steps.pop();
  let holder = root;
  for (const step of last === undefined ? [] : ["document", ...steps]) {
    if (!lodash.isObject(holder) || !Object.hasOwn(holder, step)) throw new Error(`there is nothing at ${pointer}`);
    holder = holder[step];
  }
  if (!lodash.isObject(holder)) throw new Error(`there is nothing at ${pointer}`);
  return [holder, last ?? "document"];
}

function foundAt(root, pointer) {
  const [holder, step] = placeOf(root, pointer);
  if (!Object.hasOwn(holder, step)) throw new Error(`there is nothing at ${pointer}`);
  return holder[step];
}

function removeAt(root, pointer) {
  const value = foundAt(root, pointer);
  const [holder, step] = placeOf(root, pointer);
  if (Array.isArray(holder)) holder.splice(Number(step), 1);
  else delete holder[step];
  return value;
}

function addAt(root, pointer, value) {
  const [holder, step] = placeOf(root, pointer);
  if (!Array.isArray(holder)) {
    holder[step] = value;
    return;
  }
  const place = step === "-" ? holder.length : /^(0|[1-9]\d*)$/.test(step) ? Number(step) : NaN;
  if (!(place <= holder.length)) throw new Error(`there is no place ${pointer} in a list`);
  holder.splice(place, 0, value);
}
