import { JsonText, newRecord } from '@penstock/schema';
import { bench, LONG_MS, TIME_LIMIT_MS } from '../runner.fixture';
import { RecordFailure } from '../values/record-failure';

const { runner, run } = bench('JavaScript');
afterAll(() => runner.close());
jest.setTimeout(60_000);

const ONLY_BAD = (attack: string): string =>
  `function transform(event) { if (event.text === 'bad') { ${attack} } return event; }`;

const TIME = /^JavaScript: time limit of 2 s exceeded$/;
const MEMORY = /^JavaScript: memory limit exceeded$/;
const EITHER = /^JavaScript: (time limit of 2 s exceeded|memory limit exceeded)$/;
const RECURSION = /^JavaScript: RangeError: Maximum call stack size exceeded/;

const MANY_BUFFERS = 'const a = []; for (;;) a.push(new Uint8Array(1e6));';

const ATTACKS: readonly [name: string, attack: string, reason: RegExp][] = [
  ['an endless loop', 'for (;;);', TIME],
  ['a loop inside a native call', '[...Array(1e4).keys()].sort(() => { for (;;); });', TIME],
  ['a promise that never settles', 'return new Promise(() => undefined);', TIME],
  [
    'endless microtasks',
    'const again = () => Promise.resolve().then(again); return again();',
    // Each promise waits for the next: a fast machine may run out of memory before the time.
    EITHER,
  ],
  ['endless timers', 'return new Promise(() => { (function f() { setTimeout(f); })(); });', TIME],
  ['a thenable that never calls back', 'return { then() {} };', TIME],
  [
    'a regular expression that explodes',
    'return { text: String(/^(a+)+$/.test("a".repeat(40) + "!")) };',
    TIME,
  ],
  ['recursion', 'return (function f() { return f() + 1; })();', RECURSION],
  [
    'recursion through getters',
    'const o = { get a() { return this.a; } }; return { text: o.a };',
    RECURSION,
  ],
  [
    'recursion in toJSON',
    'const o = { toJSON() { return JSON.stringify(o); } }; JSON.stringify(o);',
    RECURSION,
  ],
  ['a large array', 'return { text: String(new Array(1e9).fill(7).length) };', EITHER],
  ['many buffers', MANY_BUFFERS, EITHER],
  [
    'a large buffer',
    'new ArrayBuffer(2 ** 31);',
    /^JavaScript: (memory limit exceeded|RangeError)/,
  ],
  [
    'a doubling text',
    'let s = "x"; for (;;) { s += s; s.charCodeAt(0); }',
    /^JavaScript: (memory|time) limit|^JavaScript: (InternalError|RangeError)/,
  ],
  ['many small objects', 'let o; for (;;) o = { o };', EITHER],
  ['a growing map', 'const m = new Map(); for (let i = 0; ; i++) m.set(i, [i]);', EITHER],
  [
    'memory, again and again caught',
    'const a = []; for (;;) try { for (;;) a.push(new Uint8Array(1e5)); } catch {}',
    EITHER,
  ],
  [
    'a giant result',
    'return { text: "x".repeat(2e7) };',
    /the result is too large|limit .*exceeded/,
  ],
  ['a giant list', 'return { data: Array(2e7).fill(1) };', /limit exceeded$/],
  [
    'a cycle',
    'const o = {}; o.o = o; return { data: o };',
    /^JavaScript: TypeError: the result has a cycle/,
  ],
  [
    'a throwing getter',
    'return { get text() { throw new Error("got"); } };',
    /^JavaScript: Error: got/,
  ],
  [
    'a proxy that lies',
    'return new Proxy({}, { ownKeys() { throw 1; } });',
    /^JavaScript: number 1$/,
  ],
  [
    'an error that cannot be told',
    'throw Object.assign(new Error(), { get name() { for (;;); } });',
    TIME,
  ],
  ['nothing', 'return undefined;', /must return an object, not undefined/],
  ['an array', 'return [];', /must return an object, not array/],
];

it.each(ATTACKS)('%s fails its record only', async (_, attack, reason) => {
  const { records } = await run(ONLY_BAD(attack), ['a', 'bad', 'b']);
  const [first, second, third] = records;
  expect([first, third]).toEqual([
    { text: 'a', number: 1 },
    { text: 'b', number: 1 },
  ]);
  expect(second).toBeInstanceOf(RecordFailure);
  expect(second).toMatchObject({
    step: 'Transformation',
    message: expect.stringMatching(reason) as string,
  });
});

const SEEN_FROM_INSIDE: readonly [name: string, expression: string, expected: string][] = [
  [
    'no host globals',
    '[typeof process, typeof require, typeof fetch, typeof Buffer, typeof module, typeof global, typeof WebAssembly].join()',
    'undefined,undefined,undefined,undefined,undefined,undefined,undefined',
  ],
  [
    'no way out through constructors',
    'typeof transform.constructor.constructor("return this")().process',
    'undefined',
  ],
  [
    'no way out through errors',
    '(() => { try { null.x; } catch (e) { return String(e.stack.includes("/")); } })()',
    'false',
  ],
  [
    'no way out through the console',
    'console.log.constructor("return typeof process")()',
    'undefined',
  ],
  ['the time zone UTC', 'String(new Date(2024, 0, 1).getTimezoneOffset())', '0'],
];

it.each(SEEN_FROM_INSIDE)('exposes %s', async (_, expression, expected) => {
  const { records } = await run(`const transform = () => ({ text: ${expression} });`, ['a']);
  expect(records).toEqual([{ text: expected }]);
});

it('rejects imports', async () => {
  const source = "async function transform() { return { text: String(await import('fs')) }; }";
  const { records } = await run(source, ['a']);
  expect(records[0]).toBeInstanceOf(RecordFailure);
});

it('confines tampering with built-ins to the function that does it', async () => {
  const tamper = `
    const throwing = () => { throw new Error('tampered'); };
    for (const object of [Object, Array, JSON, String, Promise, Map, RegExp, Error, Reflect])
      for (const target of [object, object.prototype ?? {}])
        for (const name of Object.getOwnPropertyNames(target))
          try { if (typeof target[name] === 'function') target[name] = throwing; } catch {}
    Object.defineProperty(Object.prototype, 'text', { get() { return 'polluted'; }, set() {} });
    globalThis.leak = 'leaked';
    const transform = () => ({ number: 2 });`;
  const [tampered, innocent] = await Promise.all([
    run(tamper, ['a']),
    run('const transform = (e) => ({ text: e.text + typeof leak + typeof {}.text });', ['a']),
  ]);
  expect(tampered.records).toHaveLength(1);
  expect(innocent.records).toEqual([{ text: 'aundefinedundefined' }]);
});

it('shares no state between isolations, even of the same source', async () => {
  const source = 'let calls = 0; const transform = () => ({ number: ++calls });';
  const one = await run(source, ['a', 'b'], 'one');
  const other = await run(source, ['a'], 'other');
  expect(one.records).toEqual([{ number: 1 }, { number: 2 }]);
  expect(other.records).toEqual([{ number: 1 }]);
});

it('does not let a neighbour wait for an endless loop', async () => {
  const finished: string[] = [];
  const endless = run('function transform() { for (;;); }', ['a', 'b', 'c']);
  const neighbour = run('const transform = (e) => e;', ['a'], 'neighbour');
  await Promise.all([
    endless.then(() => finished.push('endless')),
    neighbour.then(() => finished.push('neighbour')),
  ]);
  expect(finished).toEqual(['neighbour', 'endless']);
  expect((await neighbour).records).toEqual([{ text: 'a', number: 1 }]);
});

it('bounds the console', async () => {
  const source =
    "const transform = (e) => { for (let i = 0; i < 1e4; i++) console.log('flood'.repeat(100)); return e; };";
  const { records, console: written } = await run(source, ['a', 'b']);
  expect(records).toHaveLength(2);
  expect(written).toHaveLength(32_768);
});

it('continues after more ends of instances than restarts are allowed', async () => {
  const source = ONLY_BAD('throw new Uint8Array(2 ** 30);');
  const texts = Array.from({ length: 24 }, (_, index) => (index % 2 === 0 ? 'bad' : `${index}`));
  const { records } = await run(source, texts);
  expect(records.map((record) => record instanceof RecordFailure)).toEqual(
    texts.map((text) => text === 'bad'),
  );
});

it.each([[800_000], [1_200_000]])('fails on %i objects in a record', async (count) => {
  const many = JsonText.trusted(`[${'{"i":1},'.repeat(count)}0]`);
  const large = Object.assign(newRecord(), { data: many });
  const { records } = await run('const transform = ({ text }) => ({ text });', ['a', large, 'b']);
  expect(records).toEqual([
    { text: 'a' },
    // A slow machine is at the limit of time before it has filled the memory.
    expect.objectContaining({
      message: expect.stringMatching(
        /^JavaScript: (memory limit|time limit of 2 s) exceeded$/,
      ) as string,
    }),
    { text: 'b' },
  ]);
});

it('says that the memory was exceeded when there was time for it', async () => {
  const patient = bench('JavaScript', LONG_MS);
  try {
    const { records } = await patient.run(ONLY_BAD(MANY_BUFFERS), ['a', 'bad', 'b']);
    expect(records).toMatchObject([
      { text: 'a' },
      { message: expect.stringMatching(MEMORY) as string },
      { text: 'b' },
    ]);
  } finally {
    await patient.runner.close();
  }
});

/** Time that a busy machine may add to 1.2 times the limit. */
const SLACK_MS = 15_000;
const MAX_HOST_GROWTH_BYTES = 96 * 1024 * 1024;

it('ends offenders in time, while neighbours lose nothing and the host stays small', async () => {
  const offenders = [
    [ONLY_BAD('for (;;);'), TIME],
    [ONLY_BAD(MANY_BUFFERS), EITHER],
  ] as const;
  await Promise.all(offenders.map(([source]) => run(source, ['warm'])));
  const usedBefore = process.memoryUsage().rss;
  const started = performance.now();
  const attacks = offenders.map(async ([source, reason]) => {
    const { records } = await run(source, ['bad']);
    return { records, reason, endedMs: performance.now() - started };
  });
  const neighbours = await Promise.all(
    Array.from({ length: 20 }, (_, index) =>
      run('const transform = (e) => e;', ['a', 'b'], `neighbour ${index % 3}`),
    ),
  );
  for (const { records, reason, endedMs } of await Promise.all(attacks)) {
    expect(records).toMatchObject([{ message: expect.stringMatching(reason) as string }]);
    expect(endedMs).toBeLessThan(1.2 * TIME_LIMIT_MS + SLACK_MS);
  }
  for (const { records } of neighbours)
    expect(records).toEqual([
      { text: 'a', number: 1 },
      { text: 'b', number: 1 },
    ]);
  expect(process.memoryUsage().rss - usedBefore).toBeLessThan(MAX_HOST_GROWTH_BYTES);
});
