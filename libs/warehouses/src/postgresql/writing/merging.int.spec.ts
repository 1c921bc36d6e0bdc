import type { ConnectionId, PipelineId } from '@penstock/contracts';
import fc from 'fast-check';
import {
  MemoryWarehouse,
  MemoryWriter,
  type ShownIdentity,
} from '../../platform/memory-writer.fixture';
import { imported, MINE, OPTIONS, said } from '../../platform/warehouse-writer.contract';
import type {
  IdentityUpdate,
  IdentityWriter,
  WarehouseWriter,
} from '../../platform/warehouse-writer';
import { SCHEMA } from '../stage.fixture';
import { type WrittenStage, writtenStage } from './written-stage.fixture';

jest.setTimeout(300_000);

const RUNS = Number(
  process.env['PROPERTY_RUNS'] ?? (process.env['PENSTOCK_TEST_LONG'] === '1' ? '60' : '20'),
);

let written: WrittenStage;
let writers: WarehouseWriter;

beforeAll(async () => {
  written = await writtenStage(MINE);
  writers = await written.open(OPTIONS);
});
afterAll(async () => {
  await writers.close();
  await written.close();
});

const text = fc.constantFrom('', 'a', 'B', 'ä', '\u{1f600}', 'a\tb', '\\N', '"', '{x,y}', "it's");
const members = fc.record({ email: text, first_name: text, last_name: text }, { requiredKeys: [] });
const id = fc.constantFrom('u', 'v', "w'\\", 'x"y');
const ids = fc.option(fc.constantFrom('x', 'y', 'z'), { nil: undefined });

/** Few keys, times and ties, so that they meet; an event has a tie-breaker of its own, as message ids are. */
const updates: fc.Arbitrary<IdentityUpdate[]> = fc
  .array(
    fc.oneof(
      fc
        .tuple(id, fc.integer({ min: -2, max: 4 }), members)
        .map(([recordId, time, of]) => imported(recordId, time, of)),
      fc
        .tuple(id, fc.integer({ min: -2, max: 4 }), members, fc.boolean(), ids, ids)
        .map(([recordId, time, of, anonymous, anonymousId, previousId]) =>
          said(recordId, time, of, {
            ...{ anonymous },
            ...(anonymousId !== undefined && { anonymousId }),
            ...(previousId !== undefined && { previousId }),
          }),
        ),
    ),
    { maxLength: 14 },
  )
  .map((all) =>
    // No two are equal: which of those stays is up to their order. Some ties are beyond 16 bits.
    all.map((update, at) => ({ ...update, tieBreaker: String.fromCodePoint(0xfff0 + 3 * at) })),
  );

const plan = fc.tuple(updates, fc.infiniteStream(fc.nat()));

const sorted = (identities: readonly ShownIdentity[]) =>
  [...identities].sort((one, other) =>
    JSON.stringify([one.recordId, one.anonymous]) <
    JSON.stringify([other.recordId, other.anonymous])
      ? -1
      : 1,
  );

const empty = () => written.stage.run(`TRUNCATE ${SCHEMA}._identities, ${SCHEMA}._dirty`);

const batch = (all: readonly IdentityUpdate[]) => ({
  ...{ pipeline: 'pipeline00000001' as PipelineId, connection: 'connection000001' as ConnectionId },
  updates: all,
});

/** In random batches of a random order, some of which are written twice. */
const writeRandomly = async (
  writer: IdentityWriter,
  all: readonly IdentityUpdate[],
  random: () => number,
): Promise<void> => {
  const left = all
    .map((update) => [random() % 1_000_003, update] as const)
    .sort(([one], [other]) => one - other)
    .map(([, update]) => update);
  while (left.length > 0) {
    const next = batch(left.splice(0, 1 + (random() % 5)));
    await writer.write(next);
    if (random() % 3 === 0) await writer.write(next);
  }
};

it('leaves the state of the sorted order, in any order, batching and repetition', async () => {
  const writer = await writers.begin({ role: 'events', epoch: 1 });
  await fc.assert(
    fc.asyncProperty(plan, async ([all, stream]) => {
      await empty();
      const random = () => stream.next().value as number;
      const memory = new MemoryWarehouse();
      memory.owner = MINE;
      const model = await new MemoryWriter(memory, OPTIONS).begin({ role: 'events', epoch: 1 });
      await model.write(batch(all));
      await writeRandomly(writer, all, random);
      expect(sorted(await written.identities())).toEqual(sorted(memory.identities()));
    }),
    { numRuns: RUNS, endOnFailure: true },
  );
});

it('marks an identity when it is new or changes, and not when it stays as it is', async () => {
  await empty();
  const writer = await writers.begin({ role: 'events', epoch: 1 });
  const dirty = () =>
    written.stage.rows(`SELECT identity::int, change FROM ${SCHEMA}._dirty ORDER BY 1`);
  await writer.write(batch([imported('u', 5, { email: 'a' }), imported('v', 5)]));
  const marked = await dirty();
  expect(marked).toMatchObject([{ change: 'added' }, { change: 'added' }]);
  await written.stage.run(`TRUNCATE ${SCHEMA}._dirty`);
  await writer.write(batch([imported('u', 5, { email: 'a' }), imported('v', 4)]));
  await writer.write({
    ...batch([imported('u', 5)]),
    run: { id: 'r', batch: 0, settled: new Map() },
  });
  expect(await dirty()).toEqual([]);
  await writer.write(batch([said('u', 6, { last_name: 'b' }), imported('v', 4)]));
  expect(await dirty()).toEqual([{ ...(marked[0] as object), change: 'changed' }]);
});

it('marks an identity of which only the time of its last update has changed', async () => {
  await empty();
  const writer = await writers.begin({ role: 'events', epoch: 1 });
  const marks = () => written.stage.rows(`SELECT FROM ${SCHEMA}._dirty`);
  await writer.write(batch([said('u', 5)]));
  await written.stage.run(`TRUNCATE ${SCHEMA}._dirty`);
  await writer.write(batch([said('u', 5), said('u', 4)]));
  expect(await marks()).toHaveLength(0);
  await writer.write(batch([said('u', 6)]));
  expect(await marks()).toHaveLength(1);
});
