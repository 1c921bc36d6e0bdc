import { FaultLog } from './fault-log';
import { protocolError } from './kafkajs-internals';

/** Kafka's error codes. */
const [REBALANCE_IN_PROGRESS, TOPIC_AUTHORIZATION_FAILED] = [27, 29];
const SECOND_MS = 1_000;
const CONNECTION = 'kafkajs Connection: Connection error: connect ECONNREFUSED 127.0.0.1:9092';

type Line = readonly [level: string, message: string, fields: Readonly<Record<string, unknown>>];

const open = () => {
  const lines: Line[] = [];
  let nowMs = 0;
  const { log } = new FaultLog(
    (...line) => void lines.push(line),
    () => nowMs,
  );
  const printed = () => lines.filter(([level]) => level !== 'debug');
  const everySecond = (seconds: number, message: string, error?: unknown) => {
    for (let second = 0; second < seconds; second += 1, nowMs += SECOND_MS)
      log('warn', message, error === undefined ? {} : { error });
  };
  const wait = (ms: number) => (nowMs += ms);
  return { log, lines, printed, everySecond, wait };
};

it.each([
  ['a lost connection', 5, CONNECTION, undefined],
  [
    'an answer that is normal while brokers start',
    30,
    'kafkajs Connection: Response GroupCoordinator(key: 10, version: 2)',
    'The group coordinator is not available',
  ],
  ['an error with its type', 30, 'a consumer has crashed', protocolError(REBALANCE_IN_PROGRESS)],
  [
    'an error that was caused by one',
    30,
    'a consumer has crashed',
    new Error('gave up', { cause: protocolError(REBALANCE_IN_PROGRESS) }),
  ],
])('holds back %s for %d s, and prints it when it lasts', (_, graceSeconds, message, error) => {
  const { printed, everySecond } = open();
  everySecond(graceSeconds, message, error);
  expect(printed()).toEqual([]);
  everySecond(1, message, error);
  const fields = { alike: graceSeconds, lastedSeconds: graceSeconds };
  expect(printed()).toEqual([
    ['warn', message, error === undefined ? fields : { error, ...fields }],
  ]);
});

it('prints once a minute what lasts, with the number of lines between', () => {
  const { printed, everySecond } = open();
  everySecond(5 + 180, CONNECTION);
  expect(printed().map(([, , fields]) => fields)).toEqual([
    { alike: 5, lastedSeconds: 5 },
    { alike: 59, lastedSeconds: 65 },
    { alike: 59, lastedSeconds: 125 },
  ]);
});

it('shows what is held back on the level debug', () => {
  const { lines, everySecond } = open();
  everySecond(1, CONNECTION);
  expect(lines).toEqual([['debug', CONNECTION, {}]]);
});

it('begins again when the fault had passed', () => {
  const { printed, everySecond, wait } = open();
  everySecond(4, CONNECTION);
  wait(21 * SECOND_MS);
  everySecond(4, CONNECTION);
  expect(printed()).toEqual([]);
});

it('prints what returns after the fault had passed no more than once a minute', () => {
  const { printed, everySecond, wait } = open();
  everySecond(6, CONNECTION);
  wait(21 * SECOND_MS);
  everySecond(20, CONNECTION);
  expect(printed()).toHaveLength(1);
});

it('keeps the faults of two brokers apart', () => {
  const { printed, everySecond } = open();
  everySecond(4, CONNECTION);
  everySecond(4, CONNECTION.replace('9092', '9093'));
  expect(printed()).toEqual([]);
});

it('prints at once what does not pass by itself', () => {
  const { printed, everySecond } = open();
  everySecond(60, 'cannot read; trying again', protocolError(TOPIC_AUTHORIZATION_FAILED));
  expect(printed()).toHaveLength(1);
  everySecond(1, 'cannot read; trying again', protocolError(TOPIC_AUTHORIZATION_FAILED));
  expect(printed()).toHaveLength(2);
});

it('prints errors of the level error at once', () => {
  const { log, printed } = open();
  log('error', 'a handler failed', { error: new Error('the query timed out') });
  expect(printed()).toHaveLength(1);
});

it('prints every line that is no retry', () => {
  const { log, printed } = open();
  for (const to of [1, 2]) log('warn', 'records are gone; reading on behind them', { to });
  expect(printed()).toHaveLength(2);
});

it('remembers a bounded number of kinds', () => {
  const { printed, everySecond } = open();
  everySecond(1, 'kafkajs Runner: new');
  for (let id = 0; id < 500; id += 1) everySecond(1, `kafkajs Runner: member ${String(id)}`);
  everySecond(1, 'kafkajs Runner: new');
  expect(printed()).toHaveLength(502);
});
