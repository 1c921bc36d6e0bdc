import { type ProfileSchema } from '@penstock/contracts';
import { parseJson, parseSchema, type Schema } from '@penstock/schema';
import type { IdentityBatch } from '@penstock/warehouses';
import type { PreparedEvent } from '../sending/destination';
import type { Writers } from './opened-warehouse';
import { ProfilesFit } from './profiles-fit';
import { BatchOutcomes } from './write-batch';

const schemaOf = (kind: string): Schema =>
  parseSchema(
    parseJson(
      JSON.stringify({
        kind: 'object',
        properties: [{ name: 'email', type: { kind }, readOptional: true }],
      }),
    ),
  );

const PROFILES: ProfileSchema = { version: 2, schema: schemaOf('string') };

const eventOf = (userId: string, outSchema: Schema | null): PreparedEvent =>
  ({
    pipeline: 'pipeline00000001',
    state: { target: 'User', id: 'pipeline00000001', connection: 'connection000001' },
    event: { userId, messageId: userId, timestamp: '2026-01-01T00:00:00.000Z', type: 'track' },
    values: outSchema === null ? null : { email: 'a@example.com' },
    outSchema,
  }) as never;

/** @param batches what is written */
const writersOf = (batches: IdentityBatch[]): Writers => ({
  events: { write: () => Promise.reject(new Error('there are no events')) },
  identities: {
    write: (batch: IdentityBatch) => {
      batches.push(batch);
      return Promise.resolve(
        batch.updates.map(({ recordId }) => (recordId === 'no' ? { refused: 'not this one' } : {})),
      );
    },
  } as never,
  fit: new ProfilesFit(PROFILES),
});

it('writes what fits the schema of profiles, and refuses the rest with the property', async () => {
  const [fitting, other] = [schemaOf('string'), schemaOf('boolean')];
  const events = [
    eventOf('a', fitting),
    eventOf('b', other),
    eventOf('no', fitting),
    eventOf('c', null),
    eventOf('d', other),
  ];
  const batches: IdentityBatch[] = [];
  const outcomes = new BatchOutcomes(events);
  await outcomes.write(writersOf(batches));
  expect(batches.map(({ updates }) => updates.map(({ recordId }) => recordId))).toEqual([
    ['a', 'no', 'c'],
  ]);
  const misfit = expect.stringMatching(/^does not fit the schema of profiles: email /) as string;
  expect(outcomes.list()).toEqual([
    { kind: 'delivered' },
    { kind: 'rejected', reason: misfit },
    { kind: 'rejected', reason: 'not this one' },
    { kind: 'delivered' },
    { kind: 'rejected', reason: misfit },
  ]);
});
