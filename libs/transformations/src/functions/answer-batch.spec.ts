import { answerBatch, type Attempt } from './answer-batch';
import type { BatchEnd } from './wire/messages';

const numbered = (count: number): string[] =>
  Array.from({ length: count }, (_, index) => `${index}`);

/** Simulates an instance that ends at certain records. */
const endingAt = (fatal: ReadonlySet<string>) => {
  const attempts: number[] = [];
  const attempt: Attempt = (records, answer) => {
    attempts.push(records.length);
    for (const record of records) {
      if (fatal.has(record))
        return Promise.resolve({ kind: 'end', cause: 'time', loading: false, console: '' });
      answer({ kind: 'result', text: record });
    }
    return Promise.resolve({ kind: 'end', console: 'x' });
  };
  return { attempt, attempts };
};

it('answers in order with one attempt when no instance ends', async () => {
  const { attempt, attempts } = endingAt(new Set());
  const result = await answerBatch(numbered(3), attempt);
  expect(result).toEqual({
    outcomes: numbered(3).map((text) => ({ kind: 'result', text })),
    console: 'x',
  });
  expect(attempts).toEqual([3]);
});

it.each([['0'], ['1'], ['2']])('fails only record %s and continues after it', async (bad) => {
  const { attempt } = endingAt(new Set([bad]));
  const result = await answerBatch(numbered(3), attempt);
  expect(result).toMatchObject({
    outcomes: numbered(3).map((text) =>
      text === bad ? { kind: 'ended', cause: 'time' } : { kind: 'result', text },
    ),
  });
});

it('runs the remaining records one by one after ten restarts', async () => {
  const { attempt, attempts } = endingAt(new Set(numbered(10)));
  const result = await answerBatch(numbered(13), attempt);
  expect(attempts).toEqual([13, 12, 11, 10, 9, 8, 7, 6, 5, 4, 1, 1, 1]);
  expect(result).toMatchObject({ outcomes: { length: 13 } });
});

it('fails no record when an instance ends after it has answered', async () => {
  const ended: Attempt = (records, answer) => {
    for (const text of records.slice(0, 1)) answer({ kind: 'result', text });
    return Promise.resolve({ kind: 'end', cause: 'ended', console: '' });
  };
  const { attempt } = endingAt(new Set(numbered(10)));
  const result = await answerBatch(numbered(13), (records, answer) =>
    (records.length > 1 ? attempt : ended)(records, answer),
  );
  expect('outcomes' in result && result.outcomes.slice(10)).toEqual(
    ['10', '11', '12'].map((text) => ({ kind: 'result', text })),
  );
});

it('keeps the beginning of the console output of all instances', async () => {
  const attempt: Attempt = (_, answer) => {
    answer({ kind: 'result', text: '' });
    return Promise.resolve({ kind: 'end', cause: 'ended', console: 'x'.repeat(20_000) });
  };
  const result = await answerBatch(numbered(13), attempt);
  expect('outcomes' in result && result.console).toHaveLength(32_768);
});

it('does not run one by one after nine', async () => {
  const { attempt, attempts } = endingAt(new Set(numbered(9)));
  await answerBatch(numbered(13), attempt);
  expect(attempts.at(-1)).toBe(4);
});

it('returns at once when the evaluation of the source ended the instance', async () => {
  let attempts = 0;
  const result = await answerBatch(numbered(3), () => {
    attempts += 1;
    return Promise.resolve({ kind: 'end', cause: 'memory', loading: true, console: '' });
  });
  expect(result).toMatchObject({ cause: 'memory' });
  expect(attempts).toBe(1);
});

it.each<[end: Partial<BatchEnd>, outcome: object]>([
  [
    { cause: 'memory', loading: true },
    { kind: 'ended', cause: 'memory' },
  ],
  [
    { refusal: { text: 'Error: no', line: 1, column: 1 }, loading: true },
    { kind: 'error', text: 'Error: no' },
  ],
])('keeps earlier answers when the source is refused later on: %j', async (end, outcome) => {
  const { attempt, attempts } = endingAt(new Set(['1']));
  const result = await answerBatch(numbered(4), (records, answer) =>
    attempts.length === 0
      ? attempt(records, answer)
      : Promise.resolve({ kind: 'end', console: '', ...end }),
  );
  expect(result).toMatchObject({
    outcomes: [{ kind: 'result', text: '0' }, { kind: 'ended', cause: 'time' }, outcome, outcome],
  });
});
