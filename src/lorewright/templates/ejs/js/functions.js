/* The names that a text of a book finds. Each is a function of the frame (runtime.js) that gives the name's value; it is
   asked when a text first names it. Values that come from outside are read anew for each entry, so nobody can change
   what another one sees. */

const MAX_READS = 1000;

function noteRead(frame, name) {
  if (frame.entry.reads.size < MAX_READS) frame.entry.reads.add(name);
}

/* -- what is asked of the outside ----------------------------------------------------------------------------------- */

const asking = (helper) => (frame) => (...given) => ask(frame, helper, given);

function refuse(helper) {
  const error = new Error(`${helper} is not available here`);
  error.code = "unsupported_helper";
  error.helperName = helper;
  return error;
}

const refusing = (helper) => () => () => {
  throw refuse(helper);
};

/* -- variables ------------------------------------------------------------------------------------------------------ */

/* A scope as this entry has it: a copy, so that what it does to a value is its own affair. */
function variablesOf(frame, scope) {
  const held = frame.entry.variables;
  return (held[scope] ??= JSON.parse(scene.variables[scope] ?? "{}"));
}

function readVariable(frame, path, options, scope) {
  const wanted = scope ?? String(options?.scope ?? "").trim().toLowerCase();
  const known = Object.hasOwn(scene.variables, wanted) ? wanted : "cache";
  const steps = stepsOf(path);
  noteRead(frame, `${known}:${steps[0] ?? ""}`);
  let found = variablesOf(frame, known);
  for (const step of steps) found = found === undefined || found === null ? undefined : found[step];
  return found === undefined ? options?.defaults : found;
}

const stepsOf = (path) => String(path ?? "").split(".").filter(Boolean);

const reading = (scope) => (frame) => (path, options) => readVariable(frame, path, options, scope);

/* -- the chat ------------------------------------------------------------------------------------------------------- */

function chatOf(frame) {
  noteRead(frame, "chat");
  return (frame.entry.chat ??= JSON.parse(scene.chat));
}

function textsOf(frame, role) {
  const all = chatOf(frame);
  const wanted = role === undefined || role === null || role === "" ? null : ["user", "system"].includes(role) ? role : "assistant";
  return all.filter((message) => wanted === null || message.role === wanted).map((message) => message.text);
}

/* The first `count`, or the last for a negative count. */
const someOf = (texts, count) => (count > 0 ? texts.slice(0, count) : texts.slice(count));

const chatMessage = (frame) => (index, role) => textsOf(frame, role).at(index) ?? "";

const chatMessages = (frame) => (first, second, role) => {
  if (first === undefined) return textsOf(frame);
  if (second === undefined || second === null) return someOf(textsOf(frame), first);
  if (typeof second === "string") return someOf(textsOf(frame, second), first);
  return textsOf(frame, role).slice(first, second);
};

const matchMessages = (frame) => (pattern) => {
  const regex = typeof pattern === "string" ? new RegExp(pattern, "i") : pattern;
  return textsOf(frame).some((text) => regex.test(text));
};

/* -- small things --------------------------------------------------------------------------------------------------- */

function parseJson(text) {
  try {
    return JSON.parse(text);
  } catch {
    return null;
  }
}

const joined = (...parts) => parts.filter((part) => part !== undefined && part !== null).join("");

const itself = (value) => value;

const nothing = () => {};
const quiet = { log: nothing, info: nothing, warn: nothing, error: nothing, debug: nothing, trace: nothing };

/* What the bundled fallback of the task reader has of lodash. */
const fewOfLodash = lodash.pick(lodash, ["get", "cloneDeep", "escapeRegExp", "sum"]);

/* Values that all frames share. */
freezeAll(parseJson, joined, itself, nothing, quiet, fewOfLodash);

/* -- the sets ------------------------------------------------------------------------------------------------------- */

const everywhere = {
  _: () => (scene.lodash ? lodash : fewOfLodash),
  console: () => quiet,
  include: () => nothing,
  escapeFn: () => itself,
  parseJSON: () => parseJson,
  print: () => joined,
  getvar: reading(),
  getLocalVar: reading("local"),
  getGlobalVar: reading("global"),
  getMessageVar: reading("message"),
  variables: (frame) => readVariable(frame, ""),
  stat_data: (frame) => readVariable(frame, "stat_data"),
  getChatMessage: chatMessage,
  getChatMessages: chatMessages,
  matchChatMessages: matchMessages,
  getwi: asking("getwi"),
  getWorldInfo: asking("getwi"),
  activewi: asking("activewi"),
  activateWorldInfo: asking("activewi"),
  evalTemplate: asking("evalTemplate"),
  getWorldInfoData: asking("getWorldInfoData"),
  getWorldInfoActivatedData: asking("getWorldInfoActivatedData"),
  getEnabledWorldInfoEntries: asking("getEnabledWorldInfoEntries"),
};

const unsupported = (names) => Object.fromEntries(names.map((name) => [name, refusing(name)]));

const description = (frame) => () => {
  noteRead(frame, "card:description");
  return scene.description;
};

const SETS = {
  bme: {
    ...everywhere,
    getEnabledLoreBooks: () => () => [...scene.loreBooks],
    getchr: description,
    getchar: description,
    getChara: description,
    ...unsupported([
      "setvar", "setLocalVar", "setGlobalVar", "setMessageVar",
      "incvar", "incLocalVar", "incGlobalVar", "incMessageVar",
      "decvar", "decLocalVar", "decGlobalVar", "decMessageVar",
      "delvar", "insvar", "patchVariables", "jsonPatch",
      "getprp", "getpreset", "getPresetPrompt", "execute", "define", "getqr", "getQuickReply",
      "selectActivatedEntries", "activateWorldInfoByKeywords", "activateRegex",
      "injectPrompt", "getPromptsInjected", "hasPromptsInjected",
    ]),
  },
};

/* The object that all frames of a scene inherit: an accessor for each name, which puts the value into the frame. */
function scopeOf(makers, names) {
  const scope = Object.create(null);
  const add = (name, make) => {
    const accessor = {
      get() {
        const value = make(frames.get(this));
        put(this, name, value);
        return value;
      },
      set(value) {
        put(this, name, value);
      },
    };
    Object.defineProperty(scope, name, accessor);
    freezeAll(accessor.get, accessor.set);
  };
  for (const [name, make] of Object.entries(makers)) add(name, make);
  for (const [name, text] of Object.entries(names)) {
    if (Object.hasOwn(makers, name)) continue;
    add(name, (frame) => {
      noteRead(frame, `name:${name}`);
      return JSON.parse(text);
    });
  }
  return Object.freeze(scope);
}

const put = (holder, name, value) =>
  Object.defineProperty(holder, name, { value, writable: true, enumerable: true, configurable: true });
