/** Maximal number of characters of console output kept per batch. */
export const MAX_CONSOLE_LENGTH = 32_768;

/**
 * Runs inside the guest before the user's source and controls its calls. It keeps references to the built-ins that it
 * needs, so that a source which tampers with them affects only itself.
 *
 * Its value is `{ install(plan, transform), run(record), failed(thrown), poll(), encodeResult(result), written() }`.
 * `run` and `poll` return the result itself when there is one, else a text: one letter (`E` error, `M` out of memory,
 * `W` wait for so many ms, `H` hangs), and the rest. `failed` returns such a text for what was thrown before `run`.
 * `encodeResult` returns a result that the engine cannot write by itself as such a text (`R`). `written` returns the
 * console output since its last call.
 */
export const PRELUDE = String.raw`(() => {
'use strict';
const uncurry = (f) => Function.prototype.call.bind(f);
const { parse, stringify } = JSON;
const { keys, getPrototypeOf, defineProperty } = Object;
const { isArray } = Array;
const { isFinite, isNaN, isSafeInteger } = Number;
const slice = uncurry(String.prototype.slice);
const exec = uncurry(RegExp.prototype.exec);
const hasOwn = uncurry(Object.prototype.hasOwnProperty);
const toISOString = uncurry(Date.prototype.toISOString);
const getTime = uncurry(Date.prototype.getTime);
const mapForEach = uncurry(Map.prototype.forEach);
const mapSize = uncurry(getOwnGetter(Map.prototype, 'size'));
const now = Date.now;
const toBigInt = BigInt;
const toNumber = Number;
const toText = String;
const bigIntText = uncurry(BigInt.prototype.toString);
const ErrorBase = Error;
const Internal = InternalError;
const POSITION = /transform:(\d+):(\d+)/;
const MARK = '\u0001';
const MAX_DEPTH = 100;
const MAX_CONSOLE = ${MAX_CONSOLE_LENGTH};

function getOwnGetter(object, name) {
  return Object.getOwnPropertyDescriptor(object, name).get;
}

const revive = (value, plan) => {
  if (value === null || value === undefined) return value;
  if (plan === 'integer') return toBigInt(value);
  if (plan === 'float') return toNumber(value);
  if (plan.o) {
    const { names } = plan;
    for (let i = 0; i < names.length; i++) {
      const name = names[i];
      const member = value[name];
      if (member !== undefined && hasOwn(value, name)) value[name] = revive(member, plan.o[name]);
    }
    return value;
  }
  const names = keys(value);
  for (let i = 0; i < names.length; i++) set(value, names[i], revive(value[names[i]], plan.e));
  return value;
};

/** A plan whose objects know their names. */
const prepared = (plan) => {
  if (plan === null || typeof plan === 'string') return plan;
  if (plan.e) return { __proto__: null, e: prepared(plan.e) };
  const names = keys(plan.o);
  const o = { __proto__: null };
  for (let i = 0; i < names.length; i++) o[names[i]] = prepared(plan.o[names[i]]);
  return { __proto__: null, o, names };
};

const set = (object, name, value) => {
  defineProperty(object, name, { __proto__: null, value, writable: true, enumerable: true, configurable: true });
};

const isDate = (value) => { try { getTime(value); return true; } catch { return false; } };
const isMap = (value) => { try { mapSize(value); return true; } catch { return false; } };

const wireText = (value) => (value[0] === MARK ? MARK + 's' + value : value);

const wireNumber = (value) => (isFinite(value) ? value : MARK + 'f' + toText(value));

const wire = (value, depth) => {
  switch (typeof value) {
    case 'string': return wireText(value);
    case 'number': return wireNumber(value);
    case 'boolean': return value;
    case 'undefined': return null;
    case 'bigint': return MARK + 'b' + bigIntText(value);
    case 'object': return value === null ? null : wireObject(value, depth);
    default: return MARK + 'xa ' + typeof value;
  }
};

const wireObject = (value, depth) => {
  if (depth > MAX_DEPTH) throw new TypeError('the result has a cycle or is nested too deeply');
  if (isArray(value)) {
    const elements = [];
    for (let i = 0; i < value.length; i++) set(elements, i, wire(value[i], depth + 1));
    return elements;
  }
  const prototype = getPrototypeOf(value);
  if (prototype !== ObjectPrototype && prototype !== null) {
    if (isDate(value)) return isNaN(getTime(value)) ? MARK + 'xan invalid Date' : MARK + 'd' + toISOString(value);
    if (isMap(value)) return wireMap(value, depth);
  }
  return wireMembers(value, depth);
};
const ObjectPrototype = Object.prototype;

const wireMembers = (value, depth) => {
  const names = keys(value);
  const members = { __proto__: null };
  for (let i = 0; i < names.length; i++) {
    const name = names[i];
    const member = value[name];
    if (typeof member === 'string') members[name] = wireText(member);
    else if (member !== undefined) members[name] = wire(member, depth + 1);
  }
  return members;
};

const wireMap = (value, depth) => {
  const members = { __proto__: null };
  let foreign = false;
  mapForEach(value, (member, key) => {
    if (typeof key !== 'string') foreign = true;
    else if (member !== undefined) members[key] = wire(member, depth + 1);
  });
  return foreign ? MARK + 'xa Map whose keys are not strings' : [MARK + 'M', members];
};

const isObject = (value) => {
  if (typeof value !== 'object' || value === null || isArray(value)) return false;
  return getPrototypeOf(value) === ObjectPrototype || (!isDate(value) && !isMap(value));
};

const nameOf = (value) => (value === null ? 'null' : isArray(value) ? 'array' : typeof value);

const jsonOf = (value) => {
  try { return stringify(value, (_, inner) => (typeof inner === 'bigint' ? toText(inner) : inner)) ?? toText(value); }
  catch { return 'a value that has no JSON'; }
};

const describe = (thrown) => {
  try {
    if (!(thrown instanceof ErrorBase)) return nameOf(thrown) + ' ' + jsonOf(thrown);
    const at = exec(POSITION, toText(thrown.stack));
    const place = at ? ' (line ' + at[1] + ', column ' + at[2] + ')' : '';
    return toText(thrown.name) + ': ' + toText(thrown.message) + place;
  } catch {
    return 'Error: an error that cannot be told';
  }
};

let written = '';
let kept = 0;
const write = (...values) => {
  if (kept >= MAX_CONSOLE) return;
  let line = '';
  for (let i = 0; i < values.length; i++)
    line += (i > 0 ? ' ' : '') + (typeof values[i] === 'string' ? values[i] : values[i] instanceof ErrorBase ? describe(values[i]) : jsonOf(values[i]));
  line = slice(line + '\n', 0, MAX_CONSOLE - kept);
  kept += line.length;
  written += line;
};

const failed = (thrown) =>
  thrown instanceof Internal && thrown.message === 'out of memory' ? 'M' : 'E' + describe(thrown);

const answered = (value) =>
  isObject(value) ? value : 'ETypeError: transform must return an object, not ' + nameOf(value);

let timers = [];
let nextTimer = 1;
globalThis.setTimeout = function setTimeout(callback, delay, ...values) {
  if (typeof callback !== 'function') throw new TypeError('setTimeout needs a function');
  const id = nextTimer++;
  const wait = toNumber(delay);
  const timer = { __proto__: null, id, due: now() + (wait > 0 ? wait : 0), callback, values };
  let at = timers.length;
  while (at > 0 && timers[at - 1].due > timer.due) at--;
  const later = [];
  for (let i = 0; i < timers.length; i++) { if (i === at) set(later, later.length, timer); set(later, later.length, timers[i]); }
  if (at === timers.length) set(later, later.length, timer);
  timers = later;
  return id;
};
globalThis.clearTimeout = function clearTimeout(id) {
  const left = [];
  for (let i = 0; i < timers.length; i++) if (timers[i].id !== id) set(left, left.length, timers[i]);
  timers = left;
};
const console = { __proto__: ObjectPrototype };
for (const name of ['log', 'info', 'warn', 'error', 'debug', 'trace']) set(console, name, (...values) => write(...values));
set(globalThis, 'console', console);
defineProperty(globalThis, 'console', { __proto__: null, enumerable: false });

let transform;
let plan = null;
let settled;
let pending = 0;

const settle = async (promise, call) => {
  try {
    const value = await promise;
    if (call === pending) settled = { __proto__: null, value };
  } catch (thrown) {
    if (call === pending) settled = { __proto__: null, thrown };
  }
};

return {
  __proto__: null,
  install: (planText, callee) => { plan = prepared(parse(planText)); transform = callee; },
  describe: (thrown) => 'E' + describe(thrown),
  failed,
  run: (record) => {
    pending++;
    settled = undefined;
    timers = [];
    try {
      const value = transform(plan === null ? record : revive(record, plan));
      if ((typeof value !== 'object' && typeof value !== 'function') || value === null || typeof value.then !== 'function')
        return answered(value);
      settle(value, pending);
      return 'W0';
    } catch (thrown) {
      return failed(thrown);
    }
  },
  poll: () => {
    try {
      if (settled === undefined && timers.length > 0 && timers[0].due <= now()) {
        const [timer, ...rest] = timers;
        timers = rest;
        const { callback, values } = timer;
        callback(...values);
        return 'W0';
      }
      if (settled === undefined)
        return timers.length > 0 ? 'W' + (timers[0].due - now()) : 'H';
      return 'value' in settled ? answered(settled.value) : failed(settled.thrown);
    } catch (thrown) {
      return failed(thrown);
    }
  },
  encodeResult: (result) => {
    try {
      return 'R' + stringify(wire(result, 0));
    } catch (thrown) {
      return failed(thrown);
    }
  },
  written: () => {
    const output = written;
    kept = 0;
    written = '';
    return output;
  },
};
})()`;
