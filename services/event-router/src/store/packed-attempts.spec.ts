import type { PipelineId } from '@penstock/contracts';
import fc from 'fast-check';
import type { AttemptRecord } from './changes';
import { attemptRecord, OTHER_PIPELINE } from './contract/changes.fixture';
import { packAttempts, unpackAttempts } from './packed-attempts';

it('packs deliveries that have failed alike into one entry', () => {
  const alike = Array.from({ length: 100 }, (_, offset) => attemptRecord({ offset }));
  const packed = packAttempts(alike);
  expect(unpackAttempts(packed)).toEqual(alike);
  expect(packed.match(/answered 503/g)).toHaveLength(1);
  expect(packed.length).toBeLessThan(1_200);
});

it('writes a reason once that others interrupt', () => {
  const given = [
    attemptRecord(),
    attemptRecord({ pipeline: OTHER_PIPELINE, reason: 'no answer', status: 0 }),
    attemptRecord({ offset: 2, dueMs: 0 }),
  ];
  const packed = packAttempts(given);
  expect(unpackAttempts(packed)).toEqual(given);
  expect(packed.match(/answered 503/g)).toHaveLength(1);
});

it('gives back what was packed', () => {
  const time = fc.integer({ min: 1, max: 4 }).map((ms) => 1_700_000_000_000 + ms);
  const attempts: fc.Arbitrary<AttemptRecord> = fc
    .record({
      offset: fc.integer({ min: -3, max: 5 }),
      pipeline: fc.constantFrom('pipeline00000a', 'pipeline00000b') as fc.Arbitrary<PipelineId>,
      version: fc.integer({ min: 1, max: 2 }),
      attempt: fc.integer({ min: 1, max: 3 }),
      atMs: time,
      status: fc.constantFrom(0, 503),
      reason: fc.constantFrom('', 'answered 503', 'no answer'),
      waitMs: fc.constantFrom(0, 1, 1_000),
      hasEnded: fc.boolean(),
    })
    .map(({ waitMs, hasEnded, ...rest }) => ({
      ...rest,
      dueMs: hasEnded ? 0 : rest.atMs + waitMs,
    }));
  fc.assert(
    fc.property(fc.array(attempts, { minLength: 1 }), (given) => {
      expect(unpackAttempts(packAttempts(given))).toEqual(given);
    }),
  );
});

it('writes no character that PostgreSQL refuses', () => {
  const [attempt] = unpackAttempts(packAttempts([attemptRecord({ reason: 'a\0b\ud800' })]));
  expect(attempt?.reason).not.toMatch(/\0|\ud800/);
});
