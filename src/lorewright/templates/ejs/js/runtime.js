/* Renders texts, one entry after the other, and trades messages with the process outside (process.py). */

const MAX_MESSAGE = 1000; /* characters of an error */
const MAX_CODE = 100;

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
  const names = Object.create(scope);
  frames.set(names, { entry, path, names });
  for (const more of data) {
    for (const name of Object.keys(more ?? {})) put(names, name, more[name]);
  }
  return frames.get(names);
}

const compiled = new Map();

function compile(text) {
  const template = new ejs.Template(text, {
    async: true,
    outputFunctionName: "print",
    escape: itself,
    unsafePrototypeLocals: true, /* the names have no prototype but the scope, which is frozen */
  });
  template.run = template.compile();
  return template;
}

async function run(text, frame, template) {
  try {
    template ??= compile(text);
    template.opts.context = frame.names;
    return limited(String((await template.run(frame.names)) ?? ""));
  } catch (error) {
    if (typeof error === "object" && error !== null && !origins.has(error)) {
      origins.set(error, { path: frame.path, ...told(error) });
    }
    throw error;
  }
}

/* The line and the sentence, without what EJS puts around it. */
function told(error) {
  const message = String(error.message ?? "").split(" while compiling ejs")[0];
  const found = /^ejs:(\d+)\n[^]*?\n\n([^]*)$/.exec(message);
  return found ? { line: Number(found[1]), message: found[2] } : { line: 0, message };
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
  const error = new Error(`the text has ${bytes} bytes; at most ${scene.outputBytes} are taken`);
  error.code = "output_too_long";
  throw error;
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
  if (value instanceof RegExp) return { regex: [value.source, value.flags] };
  const json = JSON.stringify(value);
  return json === undefined ? {} : { json };
}

function answer(message) {
  const { frame, data, resolve, reject } = asks.get(message.answer);
  asks.delete(message.answer);
  frame.entry.open--;
  current.entry = frame.entry;
  if (message.refused) {
    const error = new Error(message.refused.message);
    error.code = message.refused.code;
    error.helperName = message.refused.helper;
    reject(error);
  } else if (message.text === undefined) {
    resolve(message.value);
  } else {
    const path = [...frame.path, message.tag];
    run(message.text, frameOf(frame.entry, path, data, message.names)).then(resolve, reject);
  }
}

/* -- entries -------------------------------------------------------------------------------------------------------- */

function render(message) {
  const entry = {
    id: message.render, reads: new Set(), random: generator(message.seed), made: 0, variables: {}, chat: null,
    open: 0, result: null, around: current.entry, globals: takeGlobals(),
  };
  current.entry = entry;
  let template;
  try {
    template = compiled.get(message.text) ?? compile(message.text);
    compiled.set(message.text, template);
  } catch {
    template = undefined; /* `run` meets the same error and says where */
  }
  run(message.text, frameOf(entry, message.path, message.names), template).then(
    (text) => (entry.result = { text }),
    (error) => (entry.result = { refused: reasonOf(error) }),
  );
}

function reasonOf(error) {
  const isObject = typeof error === "object" && error !== null;
  const origin = (isObject && origins.get(error)) || { path: [], line: 0, message: describe(error) };
  const code = isObject && typeof error.code === "string" ? error.code : "failed";
  const helper = isObject && typeof error.helperName === "string" ? error.helperName : "";
  const kind = isObject && typeof error.name === "string" && error.name !== "Error" ? `${error.name}: ` : "";
  return {
    code: code.slice(0, MAX_CODE), helper: helper.slice(0, MAX_CODE),
    message: (kind + origin.message).slice(0, MAX_MESSAGE), line: origin.line, path: origin.path,
  };
}

function describe(value) {
  try {
    return String(value);
  } catch {
    return "a value that cannot be shown";
  }
}

const NEVER = { code: "never_settles", helper: "", message: "a promise that it waits for never settles", line: 0, path: [] };

/* When nothing runs any more: what is asked of the outside, and the end of an entry that waits for nothing. */
function collect() {
  const entry = current.entry;
  if (entry && entry.open === 0) {
    takeGlobals();
    for (const [name, found] of entry.globals) Reflect.defineProperty(globalThis, name, found);
    const clean = entry.globals.length > 0 || isClean();
    events.push({ done: entry.id, ...(entry.result ?? { refused: NEVER }), reads: [...entry.reads], clean });
    current.entry = entry.around;
  }
  const told = JSON.stringify(events);
  events = [];
  return told;
}

function handle(message) {
  if (message.scene) {
    scene = message.scene;
    current.now = scene.now;
    scope = scopeOf(SETS[scene.set], scene.names);
  } else if (message.render !== undefined) {
    render(message);
  } else {
    answer(message);
  }
}

return (text) => (text ? void handle(JSON.parse(text)) : collect());
