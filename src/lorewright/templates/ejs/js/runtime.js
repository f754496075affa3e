/* Renders texts, one entry after the other, and trades messages with the process outside (process.py). */

const MAX_MESSAGE = 1000; /* characters of an error */
const MAX_CODE = 100;
const MAX_WRITES = 1_000_000;

let scene = null; /* the data of the generation: generation.py says of what form */
let scope = null;
let events = [];
let asked = 0;
const asks = new Map();
const frames = new WeakMap();
const origins = new WeakMap();

/* -- frames --------------------------------------------------------------------------------------------------------- */

/* A text that is being rendered: which entry it belongs to, and the tags of the texts around it, outermost first. */
function frameOf(entry, path, ...data) {
  if (path.length > scene.levels + 1) throw stop("too_deep", `${scene.levels} levels of texts are allowed`);
  const names = Object.create(scope);
  frames.set(names, { entry, path, names });
  for (const [name, written] of Object.entries({ ...scene.definitions, ...entry.definitions })) offer(names, name, written);
  for (const more of data) {
    for (const name of Object.keys(more ?? {})) put(names, name, more[name]);
  }
  return frames.get(names);
}

const compiled = new Map();

/* In books that are played `print` writes all it is given. */
const PRINT = "<% var print = (...given) => { for (const each of given) __append(each); } %>";

/* A text that is compiled once may run for several entries, and its function must not be a place to keep things. */
const SEAL = "<% Object.freeze(arguments.callee); %>";

function compile(text) {
  const template = new ejs.Template(SEAL + (scene.set === "host" ? PRINT + escapeRegions(text) : text), {
    async: true,
    escape: itself,
    destructuredLocals: ["rethrow"], /* ours in place of theirs, which changes the message and fails on what is no object */
    unsafePrototypeLocals: true, /* the names have no prototype but the scope, which is frozen */
  });
  template.run = template.compile();
  return template;
}

/* A part of a text in which nothing is code (spec templates §2). */
function escapeRegions(text) {
  return text.replace(/<#escape-ejs>([^]*?)<#\/escape-ejs>/g, (whole, inner) =>
    inner.replaceAll("<%", "<%%").replaceAll("%>", "%%>"),
  );
}

async function run(text, frame, template) {
  if (!text.includes("<%")) return limited(text);
  try {
    template ??= compile(text);
    template.opts.context = frame.names;
    return limited(String((await template.run(frame.names)) ?? ""));
  } catch (error) {
    throw located(error, frame.path, 0);
  }
}

/* An error with where it happened: in the innermost text, at the line that is known. What is thrown and no object
   becomes an error; an engine without memory throws null. */
function located(thrown, path, line) {
  const isObject = (typeof thrown === "object" || typeof thrown === "function") && thrown !== null;
  const error = isObject ? thrown : stop(thrown === null ? "memory_limit" : "failed", describe(thrown));
  const known = origins.get(error);
  if (!known) origins.set(error, { path, line });
  else known.path ??= path;
  return error;
}

/* What a compiled text does with an error. */
function rethrow(error, text, name, line) {
  throw located(error, undefined, line);
}

function limited(text) {
  let bytes = text.length;
  if (bytes * 3 > scene.outputBytes) {
    for (let place = 0; place < text.length; place++) {
      const unit = text.charCodeAt(place);
      if (unit > 0x7f) bytes += unit > 0x7ff && (unit & 0xf800) !== 0xd800 ? 2 : 1;
    }
  }
  if (bytes <= scene.outputBytes) return text;
  throw stop("output_too_long", `the text has ${bytes} bytes; at most ${scene.outputBytes} are taken`);
}

function stop(code, message, helper = "") {
  return Object.assign(new Error(message), { code, helperName: helper });
}

/* -- asking the outside --------------------------------------------------------------------------------------------- */

function ask(frame, helper, given) {
  return new Promise((resolve, reject) => {
    const shown = given.map(sendable);
    const data = given.findLast((value) => typeof value === "object" && value !== null && !(value instanceof RegExp));
    frame.entry.open++;
    asks.set(++asked, { frame, data, resolve, reject });
    events.push({ ask: asked, render: frame.entry.id, path: frame.path, helper, given: shown });
  });
}

function sendable(value) {
  if (value instanceof RegExp) return { regex: [String(value.source), String(value.flags)] };
  const json = JSON.stringify(value);
  return json === undefined ? {} : { json };
}

function answer(message) {
  const { frame, data, resolve, reject } = asks.get(message.answer);
  asks.delete(message.answer);
  frame.entry.open--;
  current.entry = frame.entry;
  if (message.refused) {
    reject(stop(message.refused.code, message.refused.message, message.refused.helper));
  } else if (message.text === undefined) {
    resolve(message.value);
  } else {
    pull(message, frame, data).then(resolve, reject);
  }
}

async function pull({ text, tag, names, finish }, frame, data) {
  const found = await run(text, frameOf(frame.entry, [...frame.path, tag], data, names));
  return finish ? ask(frame, "finish", [found, ...frame.entry.reads]) : found;
}

/* -- entries -------------------------------------------------------------------------------------------------------- */

function render(message) {
  const entry = {
    id: message.render, path: message.path, reads: new Set(), random: generator(message.seed), made: 0, variables: {}, chat: null,
    written: new Set(), definitions: {}, open: 0, result: null, around: current.entry, globals: takeGlobals(),
  };
  Object.assign(scene, message.scene);
  current.entry = entry;
  let template;
  try {
    template = compiled.get(message.text) ?? compile(message.text);
    compiled.set(message.text, template);
  } catch {
    template = undefined; /* `run` meets the same error and says where */
  }
  begin(message, entry, template).catch((error) => (entry.result = { refused: reasonOf(located(error), entry) }));
}

async function begin(message, entry, template) {
  const text = await run(message.text, frameOf(entry, message.path, message.names), template);
  entry.result = { text, writes: writingsOf(entry) };
}

function writingsOf(entry) {
  const writes = writesOf(entry);
  for (const [name, written] of Object.entries(entry.definitions)) writes.push(["defined", name, JSON.stringify(written)]);
  const size = JSON.stringify(writes).length;
  if (size > MAX_WRITES) throw stop("data_too_large", `the variables it wrote take ${size} characters of ${MAX_WRITES}`);
  return writes;
}

function reasonOf(error, entry) {
  const { code, helperName, name, message } = error;
  const { path, line } = origins.get(error) ?? {};
  const kind = typeof name === "string" && name !== "Error" ? `${name}: ` : "";
  const said = describe(message).split(" while compiling ejs")[0];
  return {
    code: typeof code === "string" ? code.slice(0, MAX_CODE) : "failed",
    helper: typeof helperName === "string" ? helperName.slice(0, MAX_CODE) : "",
    message: (kind + said).slice(0, MAX_MESSAGE), line: line ?? 0, path: path ?? entry.path,
  };
}

function describe(value) {
  try {
    return String(value);
  } catch {
    return "a value that cannot be shown";
  }
}

/* When nothing runs any more: what is asked of the outside, and the end of an entry that waits for nothing. */
function collect() {
  const entry = current.entry;
  if (entry && entry.open === 0) {
    takeGlobals();
    for (const [name, found] of entry.globals) Reflect.defineProperty(globalThis, name, found);
    const clean = entry.globals.length > 0 || isClean();
    entry.result ??= { refused: reasonOf(stop("never_settles", "it waits for a promise that never settles"), entry) };
    events.push({ done: entry.id, ...entry.result, reads: [...entry.reads], clean });
    current.entry = entry.around;
  }
  const told = JSON.stringify(events);
  events = [];
  return told;
}

function handle(message) {
  if (message.begin) {
    scene = message.begin;
    current.now = scene.now;
    scope = scopeOf(SETS[scene.set], scene.names);
  } else if (message.render !== undefined) {
    render(message);
  } else {
    answer(message);
  }
}

return (text) => (text ? void handle(JSON.parse(text)) : collect());
