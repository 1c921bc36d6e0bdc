import { bench, TIME_LIMIT_MS } from '../runner.fixture';
import { RecordFailure } from '../values/record-failure';

const { runner, run } = bench('Python');
afterAll(() => runner.close());
jest.setTimeout(60_000);

const ONLY_BAD = (attack: string): string => `
import os, sys
def transform(event):
  if event['text'] == 'bad':
    ${attack.replaceAll('\n', '\n    ')}
  return event`;

const TIME = /^Python: time limit of 2 s exceeded$/;
const MEMORY = /^Python: memory limit exceeded$/;
const EITHER = /^Python: (time limit of 2 s exceeded|memory limit exceeded)$/;
const ENDED = /^Python: process ended$/;
const ANY = /^Python: /;

const ATTACKS: readonly [name: string, attack: string, reason: RegExp][] = [
  ['an endless loop', 'while True: pass', TIME],
  [
    'a loop that catches everything',
    'while True:\n  try:\n    while True: pass\n  except BaseException: pass',
    TIME,
  ],
  ['a long native call', 'pow(3, 10 ** 9)', TIME],
  ['a regular expression that explodes', "import re\nre.match('(a+)+$', 'a' * 40 + '!')", TIME],
  ['a long sleep', 'import time\ntime.sleep(1000)', TIME],
  [
    'an awaitable that never settles',
    'class A:\n  def __await__(self):\n    while True: yield\nreturn A()',
    TIME,
  ],
  ['recursion', 'def f(): return f() + 1\nf()', /^Python: RecursionError: /],
  [
    'recursion without the limit',
    'sys.setrecursionlimit(10 ** 9)\ndef f(): return [f()]\nf()',
    ANY,
  ],
  ['a large text', "'x' * 10 ** 9", MEMORY],
  ['a doubling list', 'a = [0]\nwhile True: a += a', EITHER],
  ['many buffers', 'a = []\nwhile True: a.append(bytearray(10 ** 7))', EITHER],
  ['a large integer', '1 << (10 ** 10)', /^Python: (memory limit exceeded|OverflowError)/],
  ['a giant result', "return {'text': 'x' * (2 * 10 ** 7)}", /too large|limit .*exceeded/],
  ['an exit', 'sys.exit(3)', /^Python: SystemExit: 3 \(line \d+\)$/],
  ['a hard exit', 'os._exit(0)', ENDED],
  ['an abort', 'os.abort()', ENDED],
  ['a request taken away', 'os.read(0, 10)', ENDED],
  ['a closed channel', 'os.close(1)', ANY],
  ['an output flood', "while True: os.write(1, b'x' * 10 ** 6)", TIME],
  [
    'a thread',
    'import threading\nthreading.Thread(target=print).start()',
    /RuntimeError: can't start new thread/,
  ],
  ['a fork', 'os.fork()', /AttributeError/],
  ['a program', "os.system('id')", /AttributeError/],
  ['a subprocess', "import subprocess\nsubprocess.run(['id'])", ANY],
  ['a socket', "import socket\nsocket.create_connection(('127.0.0.1', 80))", ANY],
  ['a request', "import urllib.request\nurllib.request.urlopen('http://127.0.0.1/')", ANY],
  ['a file of the host', "open('/etc/passwd').read()", /FileNotFoundError/],
  ['a list of the root', "os.listdir('/')", ANY],
  ['what /proc shows', "open('/proc/self/environ').read()", /FileNotFoundError/],
  ['a new file', "open('/tmp/x', 'w')", ANY],
  ['foreign code', 'import ctypes', /ModuleNotFoundError/],
  ['a cycle', "o = []\no.append(o)\nreturn {'data': o}", /has a cycle/],
  ['nothing', 'return None', /must return a dict, not NoneType/],
  ['a list', 'return []', /must return a dict, not list/],
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

it('exposes no environment, no arguments and no folder of the host', async () => {
  const source = `
import os, sys
def transform(event):
  return {'data': [dict(os.environ), sys.argv, sys.orig_argv, os.getcwd(), os.listdir('/usr')]}`;
  const { records } = await run(source, ['a']);
  expect(records).toEqual([
    { data: expect.objectContaining({ text: '[{},[],[],"/",["local"]]' }) as unknown },
  ]);
});

it('shares no state between isolations, even of the same source', async () => {
  const source = `
import builtins, json
json.dumps = builtins.calls = getattr(builtins, 'calls', 0) + 1
def transform(event):
  return {'number': builtins.calls}`;
  const one = await run(source, ['a'], 'one');
  const other = await run(source, ['a'], 'other');
  expect([one.records, other.records]).toEqual([[{ number: 1 }], [{ number: 1 }]]);
});

it('fails only the record of a forged answer', async () => {
  const { records } = await run(ONLY_BAD("os.write(1, b'R{}')"), ['a', 'bad', 'b']);
  expect(records.map((record) => record instanceof RecordFailure)).toEqual([false, true, false]);
});

it('bounds the console', async () => {
  const source = `
def transform(event):
  for _ in range(1000): print('flood' * 100)
  return event`;
  const { records, console: written } = await run(source, ['a', 'b']);
  expect(records).toHaveLength(2);
  expect(written).toHaveLength(32_768);
});

/** Time that a busy machine may add to 1.2 times the limit. */
const SLACK_MS = 15_000;
const MAX_HOST_GROWTH_BYTES = 96 * 1024 * 1024;

it('ends offenders in time, while neighbours lose nothing and the host stays small', async () => {
  const offenders = [
    [ONLY_BAD('while True: pass'), TIME],
    [ONLY_BAD("'x' * 10 ** 9"), MEMORY],
  ] as const;
  const neighbour = (name: string) => run('def transform(event): return event', ['a', 'b'], name);
  const names = ['neighbour 0', 'neighbour 1'];
  await Promise.all([
    ...offenders.map(([source]) => run(source, ['warm'])),
    ...names.map(neighbour),
  ]);
  const usedBefore = process.memoryUsage().rss;
  const started = performance.now();
  const attacks = offenders.map(async ([source, reason]) => {
    const { records } = await run(source, ['bad']);
    return { records, reason, endedMs: performance.now() - started };
  });
  const neighbours = await Promise.all(
    Array.from({ length: 10 }, (_, index) => neighbour(names[index % names.length] ?? '')),
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
