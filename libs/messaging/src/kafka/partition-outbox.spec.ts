import { setImmediate as turn } from 'node:timers/promises';
import { LogUnavailable, type NewMessage, type Position } from '../message-log';
import { AppendCall, type Entry } from './append-call';
import { type OutboxOptions, PartitionOutbox } from './partition-outbox';

type Try = (messages: readonly NewMessage[]) => Promise<number>;

/** An outbox for partition 3 with scripted attempts; the first offset is 0 by default. */
const outboxWith = (
  answer: Try,
  {
    lingerMs = 0,
    admit = () => Promise.resolve(),
  }: Partial<Pick<OutboxOptions, 'admit'>> & { lingerMs?: number } = {},
) => {
  const tries: string[][] = [];
  const ledger = { heldBytes: 0 };
  const outbox = new PartitionOutbox({
    partition: 3,
    lingerMs: () => lingerMs,
    takeSlot: () => Promise.resolve(() => undefined),
    admit,
    released: (bytes) => (ledger.heldBytes -= bytes),
    produce: (messages) => {
      tries.push(messages.map(({ value }) => value ?? ''));
      return answer(messages);
    },
  });
  const append = (values: readonly string[], { timeoutMs = 5_000, bytes = 10 } = {}) => {
    const entries: Entry[] = [];
    const call = new AppendCall(values.length, timeoutMs, () => {
      entries.forEach((entry) => outbox.withdraw(entry));
    });
    for (const [index, value] of values.entries())
      entries.push({ message: { key: 'k', value }, bytes, call, index });
    ledger.heldBytes += bytes * values.length;
    entries.forEach((entry) => outbox.add(entry));
    return call.outcome;
  };
  return { append, tries, ledger };
};

const counting = (): Try => {
  let next = 0;
  return ({ length }) => Promise.resolve((next += length) - length);
};

const held = () => {
  let release: () => void = () => undefined;
  const gate = new Promise<void>((resolve) => (release = resolve));
  return { gate, release };
};

it('sends messages of one turn together, and returns to each caller its own positions', async () => {
  const { append, tries, ledger } = outboxWith(counting());
  const [first, second] = await Promise.all([append(['a', 'b']), append(['c'])]);

  expect(tries).toEqual([['a', 'b', 'c']]);
  expect([first, second]).toEqual<(readonly Position[])[]>([
    [
      { partition: 3, offset: 0 },
      { partition: 3, offset: 1 },
    ],
    [{ partition: 3, offset: 2 }],
  ]);
  expect(ledger.heldBytes).toBe(0);
});

it('has one send in progress, and the next takes all that has gathered', async () => {
  const { gate, release } = held();
  const { append, tries } = outboxWith(() => gate.then(() => 0));
  const first = append(['a']);
  await turn();
  const rest = [append(['b']), append(['c'])];
  await turn();
  expect(tries).toEqual([['a']]);
  release();
  await Promise.all([first, ...rest]);
  expect(tries).toEqual([['a'], ['b', 'c']]);
});

it.each([
  { values: 500, bytes: 10, sends: [500] },
  { values: 501, bytes: 10, sends: [500, 1] },
  { values: 9, bytes: 100_000, sends: [9] },
  { values: 10, bytes: 100_000, sends: [9, 1] },
  { values: 2, bytes: 1_000_000, sends: [1, 1] },
])('sends $values messages of $bytes bytes as $sends', async ({ values, bytes, sends }) => {
  const { append, tries } = outboxWith(counting());
  await append(new Array<string>(values).fill('v'), { bytes });
  expect(tries.map(({ length }) => length)).toEqual(sends);
});

it('repeats a failed send unchanged before it sends later messages', async () => {
  const answers = [() => Promise.reject(new Error('lost')), counting(), counting()];
  let nth = 0;
  const { append, tries } = outboxWith((messages) => answers[nth++]!(messages));
  const first = append(['a', 'b']);
  await turn();
  await Promise.all([first, append(['c'])]);
  expect(tries).toEqual([['a', 'b'], ['a', 'b'], ['c']]);
});

it('gives up in time, withdraws what was not sent, and repeats nothing without a waiting caller', async () => {
  const { gate, release } = held();
  let isAway = true;
  const answer: Try = () =>
    isAway ? gate.then(() => Promise.reject(new Error('lost'))) : counting()([]);
  const { append, tries, ledger } = outboxWith(answer);
  const sent = append(['sent'], { timeoutMs: 20 });
  await turn();
  const waiting = append(['waiting'], { timeoutMs: 20 });
  await expect(sent).rejects.toThrow(LogUnavailable);
  await expect(waiting).rejects.toThrow(LogUnavailable);
  expect(ledger.heldBytes).toBe(10);

  isAway = false;
  const last = append(['last']);
  release();
  await last;
  expect(tries).toEqual([['sent'], ['last']]);
  expect(ledger.heldBytes).toBe(0);
});

it('does not repeat a send that the brokers refuse', async () => {
  const refusal = Object.assign(new Error('too large'), { type: 'MESSAGE_TOO_LARGE' });
  const { append, tries, ledger } = outboxWith(() => Promise.reject(refusal));
  await expect(append(['a'])).rejects.toMatchObject({ name: 'LogUnavailable', cause: refusal });
  await turn();
  expect(tries).toEqual([['a']]);
  expect(ledger.heldBytes).toBe(0);
});

it('lets messages gather while the writer is busy, unless a send is full', async () => {
  jest.useFakeTimers({ doNotFake: ['setImmediate', 'nextTick', 'queueMicrotask'] });
  try {
    const { append, tries } = outboxWith(counting(), { lingerMs: 5 });
    const few = append(['a']);
    await turn();
    jest.advanceTimersByTime(4);
    await turn();
    expect(tries).toEqual([]);
    const more = append(['b']);
    jest.advanceTimersByTime(1);
    await Promise.all([few, more]);
    expect(tries).toEqual([['a', 'b']]);

    const full = append(new Array<string>(500).fill('v'));
    await turn();
    expect(tries[1]).toHaveLength(500);
    await full;
  } finally {
    jest.useRealTimers();
  }
});

describe('with conditions', () => {
  it('sends the admitted messages of a batch in order, and releases the others', async () => {
    const { append, tries, ledger } = outboxWith(counting(), {
      admit: (batch) => {
        for (const { call, message } of batch)
          if (message.value === 'no') call.fail(new Error('refused'));
        return Promise.resolve();
      },
    });
    const outcomes = await Promise.allSettled(
      ['a', 'no', 'b', 'no'].map((value) => append([value])),
    );

    expect(outcomes.map(({ status }) => status)).toEqual([
      'fulfilled',
      'rejected',
      'fulfilled',
      'rejected',
    ]);
    expect(tries).toEqual([['a', 'b']]);
    expect(ledger.heldBytes).toBe(0);
  });

  it('sends nothing when nothing was admitted, and continues with the next batch', async () => {
    const { append, tries, ledger } = outboxWith(counting(), {
      admit: async (batch) => {
        await turn();
        for (const { call, message } of batch)
          if (message.value === 'no') call.fail(new Error('refused'));
      },
    });
    const refused = append(['no']);
    await turn();
    const next = append(['yes']);
    await expect(refused).rejects.toThrow('refused');
    await next;

    expect(tries).toEqual([['yes']]);
    expect(ledger.heldBytes).toBe(0);
  });

  it('lets no message overtake one that waits for its condition', async () => {
    const { gate, release } = held();
    const { append, tries } = outboxWith(counting(), { admit: () => gate });
    const first = append(['first']);
    await turn();
    await turn();
    const second = append(['second']);
    await turn();
    expect(tries).toEqual([]);
    release();
    await Promise.all([first, second]);
    expect(tries).toEqual([['first'], ['second']]);
  });
});
