import { MINE, OPTIONS } from '../../platform/warehouse-writer.contract';
import { MAX_MATCHES, type MatchWriter } from '../../platform/match-writer';
import type { WarehouseWriter } from '../../platform/warehouse-writer';
import { SCHEMA } from '../stage.fixture';
import { type WrittenStage, writtenStage } from './written-stage.fixture';

jest.setTimeout(60_000);

const ROLE = 'run r1';

let written: WrittenStage;
let writers: WarehouseWriter;
let epoch = 0;

beforeAll(async () => {
  written = await writtenStage(MINE);
  writers = await written.open(OPTIONS);
});
beforeEach(() => written.stage.run(`DELETE FROM ${SCHEMA}._matches`));
afterAll(async () => {
  await writers.close();
  await written.close();
});

const begin = (owner = 'p r1'): Promise<MatchWriter> => {
  epoch += 1;
  return writers.beginMatches({ role: ROLE, epoch }, owner);
};

const match = (externalId: string, value: string) => ({ externalId, value });

it('users are found by their values, whatever these are, and only those of the same run', async () => {
  const matches = await begin();
  const values = ['a', "it's", 'ä\\"', '', '\u{1f600}', 'x'.repeat(10_000), 'A'];
  await matches.put(values.map((value, n) => match(`u${String(n)}`, value)));
  await (await begin('p r2')).put([match('other', 'a')]);
  const mine = await begin();
  for (const [n, value] of values.entries())
    expect(await mine.find([value], 2)).toEqual([match(`u${String(n)}`, value)]);
  expect(await mine.find(['b', 'it'], 2)).toEqual([]);
  expect(await mine.find([], 2)).toEqual([]);
  const all = await mine.find(values, 2);
  expect(new Set(all.map(({ externalId }) => externalId)).size).toBe(values.length);
});

it('a user that is given again has its newest value, and several of one value are given up to a limit', async () => {
  const matches = await begin();
  await matches.put([match('u1', 'a'), match('u2', 'a'), match('u3', 'a'), match('u1', 'b')]);
  await matches.put([match('u3', 'c')]);
  await matches.put([match('u3', 'a'), match('u4', 'a')]);
  expect(await matches.find(['b'], 5)).toEqual([match('u1', 'b')]);
  expect(await matches.find(['c'], 5)).toEqual([]);
  expect(await matches.find(['a'], 5)).toHaveLength(3);
  expect(await matches.find(['a'], 2)).toHaveLength(2);
});

it('what a text of PostgreSQL cannot hold is left out', async () => {
  const matches = await begin();
  await matches.put([match('u\0', 'a'), match('u2', 'a\0'), match('u'.repeat(2_000), 'a')]);
  expect(await matches.find(['a', 'a\0'], 5)).toEqual([]);
});

it('all users of a run are forgotten, and no others', async () => {
  const matches = await begin();
  const many = (from: number) =>
    Array.from({ length: MAX_MATCHES }, (_, n) => match(`u${String(from + n)}`, 'a'));
  for (let from = 0; from < 3 * MAX_MATCHES; from += MAX_MATCHES) await matches.put(many(from));
  await (await begin('p r2')).put([match('other', 'a')]);
  await (await begin()).forget();
  expect(await written.stage.rows(`SELECT external_id FROM ${SCHEMA}._matches`)).toEqual([
    { external_id: 'other' },
  ]);
});

it('who has lost the role neither writes nor forgets', async () => {
  const old = await begin();
  await old.put([match('u1', 'a')]);
  await begin();
  for (const work of [() => old.put([]), () => old.find([], 1), () => old.forget()])
    await expect(work()).rejects.toMatchObject({ kind: 'fenced' });
});

it('a call has a limit', async () => {
  const matches = await begin();
  const over = Array.from({ length: MAX_MATCHES + 1 }, (_, n) => String(n));
  await expect(matches.find(over, 1)).rejects.toThrow(RangeError);
  await expect(matches.put(over.map((id) => match(id, id)))).rejects.toThrow(RangeError);
  expect(await matches.find(over.slice(1), 1)).toEqual([]);
});
