/* The names that a text of a book finds. Each is a function of the frame (runtime.js) that gives the name's value; it is
   asked when a text first names it. Values that come from outside are read anew for each entry, so nobody can change
   what another one sees. */

const MAX_READS = 1000;

function noteRead(frame, name) {
  if (frame.entry.reads.size < MAX_READS) frame.entry.reads.add(name);
}

/* -- what is asked of the outside ----------------------------------------------------------------------------------- */

const asking = (helper) => (frame) => (...given) => ask(frame, helper, given);

const refuse = (helper) => stop("unsupported_helper", `${helper} is not available here`, helper);

const refusing = (helper) => () => () => {
  throw refuse(helper);
};

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

const chatMessage = (frame) => (index, role) => {
  const texts = textsOf(frame, role);
  return texts[index >= 0 ? index : texts.length + index] ?? "";
};

const chatMessages = (frame) => (first, second, role) => {
  if (first === undefined) return textsOf(frame);
  if (second === undefined || second === null) return someOf(textsOf(frame), first);
  if (typeof second === "string") return someOf(textsOf(frame, second), first);
  return textsOf(frame, role).slice(first, second);
};

/* As the task reader looks for a pattern: in all messages, a text as a regular expression. */
const matchAll = (frame) => (pattern) => {
  const regex = typeof pattern === "string" ? new RegExp(pattern, "i") : pattern;
  return textsOf(frame).some((text) => regex.test(text));
};

/* As books that are played do: in the last two messages, if nothing else is said, any of several patterns, or all. */
const matchLast = (frame) => (pattern, options) => {
  const { start = -2, end, role, and } = Object(options);
  const texts = textsOf(frame, role).slice(start, end ?? undefined);
  const isThere = (one) => texts.some((text) => (typeof one === "string" ? text.includes(one) : one.test(text)));
  return and ? [pattern].flat().every(isThere) : [pattern].flat().some(isThere);
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

/* What stands in for lodash where a host has none (spec mvu-filter §7.3). */
const fewOfLodash = {
  get: (value, path, other) => {
    const found = stepInto(value, path);
    return found === undefined ? other : found;
  },
  cloneDeep: (value) => lodash.cloneDeep(value),
  escapeRegExp: (text) => lodash.escapeRegExp(text),
  sum: (values) => (Array.isArray(values) ? values : []).reduce((sum, value) => sum + (Number(value) || 0), 0),
};

/* Values that all frames share. */
freezeAll(parseJson, joined, itself, nothing, quiet, fewOfLodash, rethrow);

/* -- the sets ------------------------------------------------------------------------------------------------------- */

const description = (frame) => () => {
  noteRead(frame, "card:description");
  return scene.description;
};

const everywhere = {
  console: () => quiet,
  include: () => nothing,
  escapeFn: () => itself,
  rethrow: () => rethrow,
  parseJSON: () => parseJson,
  getChatMessage: chatMessage,
  getChatMessages: chatMessages,
  getchr: description,
  getchar: description,
  getChara: description,
  getwi: asking("getwi"),
  getWorldInfo: asking("getwi"),
  activewi: asking("activewi"),
  activateWorldInfo: asking("activewi"),
  getWorldInfoData: asking("getWorldInfoData"),
  getWorldInfoActivatedData: asking("getWorldInfoActivatedData"),
  getEnabledWorldInfoEntries: asking("getEnabledWorldInfoEntries"),
  getEnabledLoreBooks: () => () => [...scene.loreBooks],
};

const refusingAll = (names) => Object.fromEntries(names.map((name) => [name, refusing(name)]));

/* What is refused everywhere: other parts of a host, and what would act on it. */
const refused = refusingAll([
  "jsonPatch", "getprp", "getpreset", "getPresetPrompt", "execute", "getqr", "getQuickReply", "selectActivatedEntries",
  "activateWorldInfoByKeywords", "activateRegex", "injectPrompt", "getPromptsInjected", "hasPromptsInjected",
]);

const SETS = {
  bme: {
    ...everywhere,
    ...refused,
    ...refusingAll([
      "setvar", "setLocalVar", "setGlobalVar", "setMessageVar",
      "incvar", "incLocalVar", "incGlobalVar", "incMessageVar",
      "decvar", "decLocalVar", "decGlobalVar", "decMessageVar",
      "delvar", "insvar", "patchVariables", "define",
    ]),
    _: () => (scene.lodash ? lodash : fewOfLodash),
    matchChatMessages: matchAll,
    print: () => joined, /* hides the template's own, so as a statement it writes nothing */
    evalTemplate: asking("evalTemplate"),
    getvar: readingSimply(),
    getLocalVar: readingSimply("local"),
    getGlobalVar: readingSimply("global"),
    getMessageVar: readingSimply("message"),
    variables: (frame) => readSimply(frame, ""),
    stat_data: (frame) => readSimply(frame, "stat_data"),
  },
  host: {
    ...everywhere,
    ...refused,
    ...refusingAll(["findVariables", "setVariableSchema", "getCharData", "getCharaData", "getQuickReplyData"]),
    ...Object.fromEntries(["faker", "z", "zod", "jQuery", "$", "toastr", "SillyTavern"].map((name) => [name, absent(name)])),
    _: () => lodash,
    matchChatMessages: matchLast,
    evalTemplate: (frame) => async (text, data) => run(String(text), frameOf(frame.entry, [...frame.path, "evalTemplate"], data)),
    define: (frame) => (name, value, merge) => define(frame, String(name), value, merge),
    variables: (frame) => read(frame, null, {}, "cache"),
    stat_data: (frame) => read(frame, "stat_data", {}, "cache"),
    getvar: reading(),
    getLocalVar: reading("local"),
    getGlobalVar: reading("global"),
    getMessageVar: reading("message"),
    ...variants("set", "set", setting),
    ...variants("inc", "inc", (scope) => counting(1, scope)),
    ...variants("dec", "dec", (scope) => counting(-1, scope)),
    ...variants("del", "del", deleting),
    ...variants("ins", "insert", inserting),
    patchVariables: patching,
  },
};

/* A function that writes in the scope its options name, and those that write in one: setvar, setLocalVar, ... */
function variants(short, long, make) {
  return {
    [`${short}var`]: make(),
    [`${long}LocalVar`]: make("local"),
    [`${long}GlobalVar`]: make("global"),
    [`${long}MessageVar`]: make("message"),
  };
}

/* A library of the host: to name it is to use it. */
function absent(name) {
  return () => {
    throw refuse(name);
  };
}

/* -- definitions ---------------------------------------------------------------------------------------------------- */

/* A name for later texts of the book. It is kept as text (a function as its source), so every text gets a thing of its
   own, and a function sees nothing but its arguments and `this`. Names that mean something already stay what they are. */
function define(frame, name, value, merge) {
  if (name in scope || ownGlobals.has(name) || UNSAFE.includes(name)) throw new Error(`${name} has a meaning already`);
  const held = frame.names[name];
  const next = merge && typeof value !== "function" ? merged(held, value) : value;
  const written = typeof next === "function" ? { source: Function.prototype.toString.call(next) } : { json: JSON.stringify(next) };
  put(frame.names, name, definedBy(written));
  frame.entry.definitions[name] = written;
}

function definedBy({ source, json }) {
  return source === undefined ? json && JSON.parse(json) : Function(`return (${source})`)();
}

/* Put a definition into a frame; nothing of it runs before the text names it. */
function offer(names, name, written) {
  Object.defineProperty(names, name, {
    get() {
      const value = definedBy(written);
      put(this, name, value);
      return value;
    },
    set(value) {
      put(this, name, value);
    },
    enumerable: true,
    configurable: true,
  });
}

/* Names that are looked at anew each time, since a text can change what they mean. */
const LIVE = ["variables", "stat_data"];

/* The object that all frames of a scene inherit: an accessor for each name, which puts the value into the frame. */
function scopeOf(makers, names) {
  const scope = Object.create(null);
  const add = (name, make) => {
    const accessor = {
      get() {
        const value = make(frames.get(this));
        if (!LIVE.includes(name)) put(this, name, value);
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
