import type { PipelineId } from '@penstock/contracts';
import { imported } from '../../platform/warehouse-writer.contract';
import { SCHEMA } from '../stage.fixture';
import { NEVER, ResolvingStage, resolveAll, rules } from './resolving-stage.fixture';
import { APART_AT_ONCE, takeApartPiece } from './take-apart';

jest.setTimeout(120_000);

let stage: ResolvingStage;

beforeAll(async () => {
  stage = await ResolvingStage.open();
});
beforeEach(() => stage.empty());
afterAll(() => stage.close());

/** How many marks each transaction has made. */
const marked = async (): Promise<readonly number[]> => {
  const rows = await stage.written.stage.rows(
    `SELECT count(*)::int AS count FROM ${SCHEMA}._dirty GROUP BY xmin ORDER BY count(*) DESC`,
  );
  return rows.map((row) => (row as { count: number }).count);
};

const write = async (count: number): Promise<void> => {
  for (let from = 0; from < count; from += 1_000)
    await stage.write(
      'c1',
      Array.from({ length: Math.min(1_000, count - from) }, (_, at) =>
        imported(`u${from + at}`, 1, { email: `e${(from + at) % 2_000}` }),
      ),
    );
};

it('takes identities apart in pieces, and again changes nothing', async () => {
  await write(APART_AT_ONCE + 1);
  const resolver = await stage.resolver(rules([]));
  await resolveAll(resolver);
  await resolver.takeApart();
  expect(await marked()).toEqual([APART_AT_ONCE, 1]);
  const before = await stage.written.stage.rows(`SELECT *, xmin FROM ${SCHEMA}._dirty ORDER BY 1`);
  await resolver.takeApart();
  expect(await stage.written.stage.rows(`SELECT *, xmin FROM ${SCHEMA}._dirty ORDER BY 1`)).toEqual(
    before,
  );
});

it('is continued after a crash, by the next rules', async () => {
  await write(300);
  await stage.event('c1', 'x', 'u0');
  const old = await stage.resolver(rules([]));
  await resolveAll(old);
  await stage.takeFacts(old);
  await stage.written.stage.run(takeApartPiece(SCHEMA, '0', 100));
  await stage.purge('c1', 'u7');
  await stage.write('c1', [imported('more', 1, { email: 'e1' })]);
  const resolver = await stage.resolver(rules(['email']));
  await resolver.takeApart();
  await resolveAll(resolver, 50);
  const rows = await stage.rows();
  expect(await stage.profiles()).toHaveLength(299);
  expect(new Set(rows.map(({ _profile_id }) => _profile_id)).size).toBe(299);
  const [event] = await stage.events();
  expect(event?.profile_id).toBe(rows.find(({ _record_id }) => _record_id === 'u0')?._profile_id);
});

it('moves events first whose profile nobody would find afterwards', async () => {
  await stage.event('c1', 'x', 'u0');
  await write(1);
  const resolver = await stage.resolver(rules([]));
  await resolver.resolve(10, NEVER);
  await resolver.takeApart();
  const [{ _profile_id } = { _profile_id: null }] = await stage.rows();
  expect((await stage.events()).map(({ profile_id }) => profile_id)).toEqual([_profile_id]);
});

const removed = async (): Promise<void> => {
  const role = { role: 'removal', epoch: 1 } as const;
  const remover = await stage.writers.beginRemoval(role, 'c1a' as PipelineId);
  while (!(await remover.remove(() => Promise.resolve())).isLast);
};

it.each([
  ['purged', () => stage.purge('c1', 'u')],
  ['removed', removed],
])('takes the events of what is %s meanwhile from its profile', async (_, remove) => {
  await stage.write('c1', [imported('u', 1, { email: 'e' })]);
  await stage.write('c1', [imported('w', 1, { email: 'e' })], 'b');
  const resolver = await stage.resolver(rules(['email']));
  await resolveAll(resolver);
  await stage.event('c1', 'x', 'u');
  await resolver.takeApart();
  await remove();
  await resolveAll(resolver);
  expect((await stage.events()).map(({ profile_id }) => profile_id)).toEqual([null]);
});

it('is given up without a trace', async () => {
  await write(10);
  const resolver = await stage.resolver(rules([]));
  await resolveAll(resolver);
  await expect(resolver.takeApart(AbortSignal.abort(new Error('no')))).rejects.toThrow('no');
  expect(await resolver.pending()).toBe(0);
});

it('removes profiles without identities, and tells of it, once', async () => {
  await write(30);
  const resolver = await stage.resolver(rules(['email']));
  await resolveAll(resolver);
  await stage.takeFacts(resolver);
  const before = await stage.profiles();
  const lost = before.slice(0, 3).map(({ _profile_id: id }) => id);
  const among = `_profile_id IN (${lost.map((id) => `'${id}'`).join()})`;
  await stage.written.stage.run(`DELETE FROM ${SCHEMA}._identities WHERE ${among}`);
  for (let times = 0; times < 2; times += 1) await resolver.takeApart();
  expect(await resolver.pending()).toBe(30);
  await resolveAll(resolver, 7);
  const left = await stage.profiles();
  expect(left.map(({ _profile_id: id }) => id).sort()).toEqual(
    before
      .map(({ _profile_id: id }) => id)
      .filter((id) => !lost.includes(id))
      .sort(),
  );
  const facts = await stage.takeFacts(resolver);
  const deleted = facts.flatMap((fact) => (fact.type === 'ProfileDeleted' ? [fact.id] : []));
  expect(facts).toHaveLength(deleted.length);
  expect(deleted.sort()).toEqual([...lost].sort());
});
