import type { MessageLog } from './message-log';
import { PrefixedLog } from './prefixed-log';
import { TopicMoved } from './topic-moved';

type Method = keyof PrefixedLog;
type Call = readonly unknown[];

/** A log that records the arguments of every call and answers with them. */
const recording = (calls: Call[]): MessageLog =>
  new Proxy({} as MessageLog, {
    get:
      (_, name) =>
      (...args: unknown[]) => {
        calls.push([name, ...args]);
        return Promise.resolve(name);
      },
  });

const spec = { name: 'events', partitions: 1, retention: 'forever' } as const;
const owner = { installation: 'i', marker: 'installation', isKnown: false };
const onBatch = () => Promise.resolve();

const ROWS: readonly [method: Method, given: Call, passedOn: Call][] = [
  ['ensureTopics', [[spec]], [[{ ...spec, name: 'a.events' }], undefined]],
  [
    'ensureTopics',
    [[spec], owner],
    [[{ ...spec, name: 'a.events' }], { ...owner, marker: 'a.installation' }],
  ],
  ['partitionsOf', ['events'], ['a.events']],
  ['append', ['events', [{ key: 'k', value: 'v' }]], ['a.events', [{ key: 'k', value: 'v' }], {}]],
  [
    'append',
    ['events', [], { timeoutMs: 1, unlessMoved: { topic: 'state', end: 3 } }],
    ['a.events', [], { timeoutMs: 1, unlessMoved: { topic: 'a.state', end: 3 } }],
  ],
  [
    'subscribe',
    [{ topic: 'commands', group: 'service', onBatch, maxRecords: 5 }],
    [{ topic: 'a.commands', group: 'a.service', onBatch, maxRecords: 5 }],
  ],
  ['follow', [{ topic: 'replies', onBatch }], [{ topic: 'a.replies', onBatch }]],
  ['readPartitions', [{ topic: 'events', onBatch }], [{ topic: 'a.events', onBatch }]],
  ['read', ['events', 1, 2, 3], ['a.events', 1, 2, 3]],
  ['endOffsets', ['events'], ['a.events']],
  ['beginningOffsets', ['events'], ['a.events']],
  ['offsetsAt', ['events', 5], ['a.events', 5]],
  ['identity', [], []],
  ['ping', [], []],
  ['close', [], []],
];

it.each(ROWS)('%s of %j asks for %j', async (method, given, passedOn) => {
  const calls: Call[] = [];
  const log = new PrefixedLog(recording(calls), 'a.');
  await (log[method] as (...args: unknown[]) => Promise<unknown>)(...given);
  expect(calls).toEqual([[method, ...passedOn]]);
});

it('has a row for every method of the port', () => {
  const methods = Object.getOwnPropertyNames(PrefixedLog.prototype);
  const own = ['constructor', 'named'];
  expect(new Set(ROWS.map(([method]) => method))).toEqual(
    new Set(methods.filter((name) => !own.includes(name))),
  );
});

it('names the topic that has moved as the caller named it', async () => {
  const moved = { append: () => Promise.reject(new TopicMoved('a.state', 7)) };
  const log = new PrefixedLog(moved as unknown as MessageLog, 'a.');
  await expect(
    log.append('events', [], { unlessMoved: { topic: 'state', end: 3 } }),
  ).rejects.toMatchObject({ topic: 'state', end: 7 });
});

it('is another log than one without the prefix, or with another', async () => {
  const whole = { identity: () => Promise.resolve('cluster') } as unknown as MessageLog;
  const [one, other] = [new PrefixedLog(whole, 'a.'), new PrefixedLog(whole, 'b.')];
  expect([await one.identity(), await other.identity()]).toEqual(['cluster/a.', 'cluster/b.']);
});
