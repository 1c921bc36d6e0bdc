import { EventEmitter, once } from 'node:events';
import type { ConnectionId, PipelineId } from '@penstock/contracts';
import type { IdentityUpdate, IdentityWriter } from '../../platform/warehouse-writer';
import { said } from '../../platform/warehouse-writer.contract';
import {
  NEVER,
  OPTIONS,
  ResolvingStage,
  resolveAll,
  rules,
} from '../resolving/resolving-stage.fixture';

jest.setTimeout(60_000);

let stage: ResolvingStage;

beforeAll(async () => {
  stage = await ResolvingStage.open();
});
beforeEach(() => stage.empty());
afterAll(() => stage.close());

let epoch = 0;

/** Erases whoever the record is of. */
const erase = async (recordId: string): Promise<void> => {
  const row = (await stage.rows()).find(({ _record_id }) => _record_id === recordId);
  epoch += 1;
  const erasure = { id: `erasure${String(epoch)}`, profile: row?._profile_id ?? '' };
  const eraser = await stage.writers.beginErasure({ role: 'erasure', epoch }, erasure);
  expect(await eraser.take(NEVER)).toBe(true);
  while (!(await eraser.eraseEvents(NEVER)).isLast);
};

const OF = { connection: 'c1' as ConnectionId, pipeline: 'c1a' as PipelineId };

const ids = async (): Promise<readonly string[]> =>
  (await stage.rows()).map(({ _record_id }) => _record_id).sort();

/** A writer that has not met anybody who was erased. */
const another = () => stage.written.stage.writer(stage.written.loader, OPTIONS, NEVER);

/** Stages a batch. @returns what merges it */
const staged = async (
  writer: IdentityWriter,
  updates: readonly IdentityUpdate[],
): Promise<() => Promise<unknown>> => {
  const turn = new EventEmitter();
  const tables = (await stage.written.stages()).length;
  const written = writer.write({ ...OF, updates }, once(turn, 'merge'));
  while ((await stage.written.stages()).length === tables);
  return () => {
    turn.emit('merge');
    return written;
  };
};

it('leaves out of every batch that was staged before an erasure', async () => {
  await stage.write('c1', [said('u', 1)]);
  await resolveAll(await stage.resolver(rules([])));
  const writers = await another();
  const writer = await writers.begin({ role: 'run run2', epoch: 1 });
  const merges = [
    await staged(writer, [said('u', 2), said('v', 2)]),
    await staged(writer, [said('u', 3), said('w', 3)]),
  ];
  await erase('u');
  for (const merge of merges) await merge();
  await writers.close();
  expect(await ids()).toEqual(['v', 'w']);
});

it('leaves somebody who was erased out of the previous ids of others', async () => {
  await stage.write('c1', [said('u', 1), said('x', 1, {}, { anonymous: true })]);
  await resolveAll(await stage.resolver(rules([])));
  await erase('u');
  const previous = (id: string, previousId: string, at: number) => said(id, at, {}, { previousId });
  await stage.write('c1', [
    ...['x', 'u', 't', 'u'].map((id, at) => previous('v', id, at)),
    previous('w', 'u', 1),
    previous('u', 'w', 1),
  ]);
  await stage.write('c2', [previous('v', 'u', 1)]);
  expect(
    (await stage.rows()).map((row) => [row._connection, row._record_id, row._previous_ids]),
  ).toEqual([
    ['c1', 'x', []],
    ['c1', 'v', ['t', 'x']],
    ['c1', 'w', []],
    ['c2', 'v', ['u']],
  ]);
});
