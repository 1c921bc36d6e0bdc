import type { PipelineId } from '@penstock/contracts';
import fc from 'fast-check';
import type { Remover } from '../../platform/remover';
import { imported, said } from '../../platform/warehouse-writer.contract';
import { ResolvingStage, resolveAll, rules } from '../resolving/resolving-stage.fixture';
import { SCHEMA } from '../stage.fixture';

jest.setTimeout(120_000);

const RUNS = process.env['PENSTOCK_TEST_LONG'] === '1' ? 20 : 8;
const BY = rules(['email']);
const DELETED = 'c1a' as PipelineId;

let stage: ResolvingStage;

beforeAll(async () => {
  stage = await ResolvingStage.open();
});
beforeEach(() => stage.empty());
afterAll(() => stage.close());

let epoch = 0;

/** Whoever takes the removal up, as after a crash of the one before. */
const removerOf = (pipeline: PipelineId): Promise<Remover> => {
  epoch += 1;
  return stage.writers.beginRemoval({ role: 'removal', epoch }, pipeline);
};

const nothing = (): Promise<void> => Promise.resolve();

const removeAll = async (remover: Remover): Promise<number> => {
  for (let removed = 0; ;) {
    const { identities, isLast } = await remover.remove(nothing);
    removed += identities;
    if (isLast) return removed;
  }
};

const count = async (table: string, where = 'true'): Promise<number> => {
  const rows = await stage.written.stage.rows(
    `SELECT count(*)::integer AS count FROM ${SCHEMA}.${table} WHERE ${where}`,
  );
  return (rows as { count: number }[])[0]!.count;
};

const written = fc.record({
  connection: fc.constantFrom('c1', 'c2'),
  pipeline: fc.constantFrom('a', 'b'),
  recordId: fc.constantFrom('u', 'v', 'w'),
  anonymous: fc.boolean(),
  email: fc.constantFrom('', 'p', 'q'),
});

/** What is left of the profiles: of each, the keys of its identities. */
const groups = async (): Promise<readonly string[]> => {
  const rows = await stage.rows();
  const members = new Map<string, string[]>();
  for (const row of rows) {
    const key = `${row._pipeline} ${String(row._anonymous)} ${row._record_id}`;
    const group = members.get(String(row._profile_id)) ?? [];
    members.set(String(row._profile_id), [...group, key].sort());
  }
  return [...members.values()].map((keys) => keys.join(', ')).sort();
};

it('leaves profiles as if the pipeline had never written, wherever it is resolved or cut off', async () => {
  await fc.assert(
    fc.asyncProperty(
      fc.array(written, { minLength: 1, maxLength: 12 }),
      fc.boolean(),
      fc.boolean(),
      async (updates, isResolvedBefore, isCutOff) => {
        const write = async (of: readonly (typeof updates)[number][]): Promise<void> => {
          for (const [at, { connection, pipeline, recordId, anonymous, email }] of of.entries()) {
            const values = email === '' ? {} : { email };
            await stage.write(
              connection,
              [said(recordId, at + 1, values, { anonymous })],
              pipeline,
            );
          }
        };
        const others = updates.filter((each) => each.connection + each.pipeline !== DELETED);
        await stage.empty();
        await write(others);
        await resolveAll(await stage.resolver(BY));
        const expected = await groups();

        await stage.empty();
        await write(updates);
        if (isResolvedBefore) await resolveAll(await stage.resolver(BY));
        if (isCutOff) await (await removerOf(DELETED)).remove(nothing);
        await removeAll(await removerOf(DELETED));
        expect(await removeAll(await removerOf(DELETED))).toBe(0);
        await resolveAll(await stage.resolver(BY));
        expect(await groups()).toEqual(expected);
        expect(await count('_profiles')).toBe(expected.length);
        const left = `identity NOT IN (SELECT _id FROM ${SCHEMA}._identities)`;
        expect(await count('_identity_keys', left)).toBe(0);
      },
    ),
    { numRuns: RUNS, endOnFailure: true },
  );
});

it('deletes as many identities as one transaction may, and one more, in pieces', async () => {
  for (const left of [10_000, 10_001]) {
    await stage.empty();
    await stage.written.stage.run(
      `INSERT INTO ${SCHEMA}._identities (_connection, _pipeline, _record_id, _anonymous)
       SELECT 'c1', '${DELETED}', n::text, n % 2 = 0 FROM generate_series(1, ${String(left)}) AS n`,
    );
    await stage.write('c1', [imported('u', 1)], 'b');
    const remover = await removerOf(DELETED);
    expect(await remover.remove(nothing)).toEqual({ identities: 10_000, isLast: false });
    expect(await removeAll(remover)).toBe(left - 10_000);
    expect(await count('_dirty', `change = 'removed'`)).toBe(left);
    expect(await count('_identities')).toBe(1);
  }
});

it('finds each pipeline that has identities, once, and as many as are wanted', async () => {
  expect(await stage.writers.pipelines(9)).toEqual([]);
  await stage.write('c1', [imported('u', 1), imported('v', 1)], 'a');
  await stage.write('c1', [imported('u', 1)], 'b');
  expect(await stage.writers.pipelines(2)).toEqual(['c1a', 'c1b']);
  expect(await stage.writers.pipelines(1)).toEqual(['c1a']);
});

it('asks before it deletes, and not where there is nothing', async () => {
  let asked = 0;
  const remover = await removerOf(DELETED);
  const refused = () => {
    asked += 1;
    return Promise.reject(new Error('not yet'));
  };
  expect(await remover.remove(refused)).toEqual({ identities: 0, isLast: true });
  await stage.write('c1', [imported('u', 1)], 'a');
  await expect(remover.remove(refused)).rejects.toThrow('not yet');
  expect(asked).toBe(1);
  expect(await count('_identities')).toBe(1);
});

it('removes nothing under an older epoch', async () => {
  await stage.write('c1', [imported('u', 1)], 'a');
  const older = await removerOf(DELETED);
  await removerOf(DELETED);
  await expect(older.remove(nothing)).rejects.toMatchObject({ kind: 'fenced' });
  expect(await count('_identities')).toBe(1);
});
