import { MAX_RUN_ERRORS, OTHER_ERRORS, RUN_STEPS } from '@penstock/contracts';
import { ALL_STEPS, Tally } from './tally';

/** What a batch counts of errors, as it is written to the log, in bytes. */
const bytesOf = ({ errors }: Tally): number =>
  Buffer.byteLength(JSON.stringify(errors.map((group) => ({ ...group, samples: [] }))));

const countOf = ({ errors }: Tally): number => errors.reduce((sum, { count }) => sum + count, 0);

it.each([
  ['control characters', '\u0001'],
  ['halves of surrogate pairs', '\ud83d'],
  ['pictographs', '😀'],
])('counts all errors in what one message of the log holds: of %s', (_, character) => {
  const tally = new Tally(ALL_STEPS);
  for (const step of RUN_STEPS)
    for (let n = 0; n < 2 * MAX_RUN_ERRORS; n += 1)
      tally.explain(
        step,
        { code: 'FunctionFailed', message: `${n}${character.repeat(5_000)}` },
        `u${n}`,
      );
  expect(bytesOf(tally)).toBeLessThan(700_000);
  expect(countOf(tally)).toBe(2 * MAX_RUN_ERRORS * RUN_STEPS.length);
  expect(tally.errors.length).toBeGreaterThan(MAX_RUN_ERRORS);
});

it('keeps a hundred messages apart for each step, and of each the first thousand characters', () => {
  const tally = new Tally(ALL_STEPS);
  for (const step of RUN_STEPS)
    for (let n = 0; n <= MAX_RUN_ERRORS; n += 1)
      tally.explain(step, { code: 'Refused', message: `reason ${n}` }, null);
  expect(tally.errors).toHaveLength((MAX_RUN_ERRORS + 1) * RUN_STEPS.length);
  const others = tally.errors.filter(({ code }) => code === OTHER_ERRORS.code);
  expect(others.map(({ step, count }) => [step, count])).toEqual(
    RUN_STEPS.map((step) => [step, 1]),
  );
  const long = new Tally(ALL_STEPS);
  for (const length of [1_000, 1_001, 5_000])
    long.explain('Finalize', { code: 'Refused', message: 'a'.repeat(length) }, null);
  expect(long.errors).toMatchObject([
    { step: 'Finalize', code: 'Refused', message: 'a'.repeat(1_000), count: 3, samples: [] },
  ]);
});
