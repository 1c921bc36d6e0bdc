import type { PipelineId } from '@penstock/contracts';
import type { Remover } from '../../platform/remover';
import {
  batchOf,
  byId,
  imported,
  MINE,
  OPTIONS,
  PIPELINE,
  said,
} from '../../platform/warehouse-writer.contract';
import type { IdentityUpdate, IdentityWriter } from '../../platform/warehouse-writer';
import { snowflakeOfSpecs, type WrittenStage, writtenStage } from '../stage.fixture';
import type { SnowflakeWriter } from '../writing/snowflake-writer';

jest.setTimeout(180_000);

const OTHER = 'pipeline00000002' as PipelineId;

const server = snowflakeOfSpecs();
let written: WrittenStage;
let writers: SnowflakeWriter;
let identities: IdentityWriter;

beforeEach(async () => {
  written = await writtenStage(server(), MINE);
  writers = await written.open(OPTIONS);
  identities = await writers.begin({ role: 'events', epoch: 1 });
});
afterEach(async () => {
  await writers.close();
  await written.close();
});

const write = (pipeline: PipelineId, ...updates: readonly IdentityUpdate[]) =>
  identities.write({ ...batchOf(updates), pipeline });

const nobody = (): Promise<void> => Promise.resolve();

/** Removes to the end. @returns how many identities */
const removeAll = async (remover: Remover, before = nobody): Promise<number> => {
  for (let sum = 0; ;) {
    const { identities: count, isLast } = await remover.remove(before);
    sum += count;
    if (isLast) return sum;
  }
};

const begin = (epoch: number, lost?: readonly string[]): Promise<Remover> =>
  writers.beginRemoval({ role: 'removal', epoch }, PIPELINE, lost);

const dirty = () =>
  written.stage.rows(
    `SELECT "CHANGE", COUNT(*) FROM ${written.stage.at('_DIRTY')} GROUP BY "CHANGE" ORDER BY 1`,
  );

it('removes what a deleted pipeline has written, marks it, and leaves others alone', async () => {
  await write(PIPELINE, imported('a', 5), said('b', 5, {}, { anonymous: true }));
  await write(OTHER, imported('a', 5));
  const failing = new Error('not now');
  const remover = await begin(1);
  await expect(remover.remove(() => Promise.reject(failing))).rejects.toBe(failing);
  expect(await written.identities()).toHaveLength(3);
  expect(await removeAll(remover)).toBe(2);
  expect((await written.identities()).map(({ pipeline }) => pipeline)).toEqual([OTHER]);
  expect(await dirty()).toEqual([
    ['added', '1'],
    ['removed', '2'],
  ]);
  await begin(2);
  await expect(remover.remove(nobody)).rejects.toMatchObject({ kind: 'fenced' });
});

it('clears what a pipeline writes no more, so that whatever is written later is taken', async () => {
  await write(
    PIPELINE,
    imported('a', 50, { email: 'a', last_name: 'A' }),
    said('b', 50, { email: 'b' }),
  );
  await write(PIPELINE, imported('c', 50, { last_name: 'C' }));
  await write(OTHER, imported('a', 50, { email: 'o' }));
  await written.stage.rows(`DELETE FROM ${written.stage.at('_DIRTY')}`);
  expect(await removeAll(await begin(1, ['email', 'unknown']))).toBe(2);
  expect(await dirty()).toEqual([['changed', '2']]);
  const values = async () =>
    (await written.identities()).map(({ recordId, values: each }) => [recordId, each]);
  expect(await values()).toEqual([
    ['a', { last_name: 'A' }],
    ['b', {}],
    ['c', { last_name: 'C' }],
    ['a', { email: 'o' }],
  ]);
  await write(
    PIPELINE,
    said('a', 1, { email: 'old', last_name: 'old' }),
    said('b', 1, { email: 'old' }),
  );
  expect(byId((await written.identities()).slice(0, 2))).toMatchObject({
    a: { values: { email: 'old', last_name: 'A' } },
    b: { values: { email: 'old' } },
  });
});

it('leaves alone what is written after it was looked at, and looks at it once more', async () => {
  await write(PIPELINE, imported('a', 5, { email: 'a' }), imported('b', 5, { email: 'b' }));
  const remover = await begin(1, ['email']);
  const meanwhile = async (): Promise<void> => {
    await write(PIPELINE, imported('a', 6, { email: 'new' }));
  };
  expect(await remover.remove(meanwhile)).toEqual({ identities: 1, isLast: false });
  expect(byId(await written.identities())).toMatchObject({
    a: { values: { email: 'new' } },
    b: { values: {} },
  });
  expect(await removeAll(await begin(2, []))).toBe(0);
});
