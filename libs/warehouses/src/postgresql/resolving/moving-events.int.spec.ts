import fc from 'fast-check';
import { imported, said } from '../../platform/warehouse-writer.contract';
import { SCHEMA } from '../stage.fixture';
import { waySettings } from './batch';
import { movePiece } from './move-events';
import { hasEvents } from './profile-of-event';
import { NEVER, ResolvingStage, resolveAll, rules } from './resolving-stage.fixture';

jest.setTimeout(120_000);

const BY = rules(['email']);

let stage: ResolvingStage;

beforeAll(async () => {
  stage = await ResolvingStage.open();
});
beforeEach(() => stage.empty());
afterAll(() => stage.close());

/** As if a source had sent them all. */
const addEvents = (count: number, userId: string): Promise<void> =>
  stage.written.stage.run(
    `INSERT INTO ${SCHEMA}._events (connection_id, anonymous_id, message_id, type, user_id,
       received_at, sent_at, original_timestamp, timestamp, traits)
     SELECT 'c1', 'x', ${userId} || ' ' || n, 'track', ${userId}, now(), now(), now(), now(), '{}'
     FROM generate_series(1, ${count}) AS n`,
  );

/** How many events each transaction has written that changed some. */
const written = async (): Promise<readonly number[]> => {
  const rows = await stage.written.stage.rows(
    `SELECT count(*)::int AS count FROM ${SCHEMA}._events
     WHERE profile_id IS NOT NULL GROUP BY xmin ORDER BY count(*) DESC`,
  );
  return rows.map((row) => (row as { count: number }).count);
};

const areRight = async (): Promise<void> => {
  const [row] = await stage.written.stage.rows(
    `SELECT count(*)::int AS count FROM ${SCHEMA}._events AS e LEFT JOIN ${SCHEMA}._identities AS i
       ON NOT _anonymous AND _connection = connection_id AND _record_id = user_id
     WHERE profile_id IS DISTINCT FROM _profile_id`,
  );
  expect(row).toEqual({ count: 0 });
};

it('gives many events of one identity their profile in pieces, and is last after them', async () => {
  await addEvents(25_000, `'u'`);
  await stage.write('c1', [imported('u', 1)]);
  const resolver = await stage.resolver(BY);
  expect(await resolver.resolve(10, NEVER)).toMatchObject({ created: 1, isLast: false });
  expect(await resolver.resolve(10, NEVER)).toMatchObject({ identities: 0, isLast: true });
  expect(await written()).toEqual([10_000, 10_000, 5_000]);
  await areRight();
});

it('goes on after a crash, whoever resolves then', async () => {
  await addEvents(25_000, `'u'`);
  await stage.write('c1', [imported('u', 1)]);
  await (await stage.resolver(BY)).resolve(10, NEVER);
  await stage.written.stage.run(movePiece(SCHEMA, { identities: 1, events: 3 }));
  await resolveAll(await stage.resolver(BY));
  await areRight();
});

it('gives events of many identities their profiles in pieces, whatever the statistics say', async () => {
  await addEvents(3_000, `'u'`);
  await stage.written.stage.run(`ANALYZE ${SCHEMA}._events`);
  await addEvents(25_000, `'u' || n % 1500`);
  const users = Array.from({ length: 1_500 }, (_, at) => imported(`u${at}`, 1));
  await stage.write('c1', users);
  await resolveAll(await stage.resolver(BY));
  for (const count of await written()) expect(count).toBeLessThanOrEqual(10_000);
  await areRight();
});

/** A node of a plan, as `EXPLAIN` shows it. */
interface PlanNode {
  readonly 'Relation Name'?: string;
  readonly 'Actual Rows': number;
  readonly 'Actual Loops': number;
  readonly 'Rows Removed by Filter'?: number;
  readonly Plans?: readonly PlanNode[];
}

const lookedAtBy = (node: PlanNode): number => {
  const perLoop = node['Actual Rows'] + (node['Rows Removed by Filter'] ?? 0);
  const own = node['Relation Name'] === '_events' ? perLoop * node['Actual Loops'] : 0;
  return (node.Plans ?? []).reduce((sum, each) => sum + lookedAtBy(each), own);
};

/** Rows of events that a statement looks at, as often as it does, where a resolution runs it. */
const lookedAt = async (statement: string): Promise<number> => {
  const { stage: server } = stage.written;
  await server.run('BEGIN', ...waySettings('looksUp'));
  const [row] = await server.rows(`EXPLAIN (ANALYZE, FORMAT JSON) ${statement}`);
  await server.run('COMMIT');
  const { 'QUERY PLAN': plans } = row as { 'QUERY PLAN': readonly { readonly Plan: PlanNode }[] };
  return plans.reduce((sum, { Plan: plan }) => sum + lookedAtBy(plan), 0);
};

describe.each([1, 3, 50])('with statistics of a time when there were %i events', (known) => {
  beforeEach(async () => {
    await stage.written.stage.run(`ALTER TABLE ${SCHEMA}._events SET (autovacuum_enabled = false)`);
    await addEvents(known, `'v' || n`);
    await stage.written.stage.run(`ANALYZE ${SCHEMA}._events`);
  });
  afterEach(() =>
    stage.written.stage.run(`ALTER TABLE ${SCHEMA}._events RESET (autovacuum_enabled)`),
  );

  it.each([1, 2_000])('looks each event of %i identities up', async (count) => {
    await addEvents(10_000, `'u' || n % ${count}`);
    const users = Array.from({ length: count }, (_, at) => imported(`u${at}`, 1));
    await stage.write('c1', users);
    await (await stage.resolver(BY)).resolve(2_000, NEVER);
    const records = `SELECT _connection, _anonymous, _record_id FROM ${SCHEMA}._identities`;
    const noting = `SELECT FROM (${records}) AS m (connection, anonymous, record_id)
      WHERE ${hasEvents(SCHEMA, 'm')}`;
    expect(await lookedAt(noting)).toBe(count);
    const piece = movePiece(SCHEMA, { identities: 1_000, events: 4_000 });
    // Each is found, and changed.
    expect(await lookedAt(piece)).toBeLessThan(4 * 4_000);
    await resolveAll(await stage.resolver(BY));
    await areRight();
  });
});

it('leaves no event behind that somebody else changes meanwhile', async () => {
  await addEvents(50, `'u'`);
  await stage.write('c1', [imported('u', 1)]);
  const resolver = await stage.resolver(BY);
  await resolver.resolve(10, NEVER);
  const change = `UPDATE ${SCHEMA}._events SET name = 'x' WHERE message_id = 'u 7'`;
  await stage.besideChange(change, () => resolveAll(resolver));
  await areRight();
});

it('is given up without a trace while events are moved', async () => {
  await addEvents(5_000, `'u'`);
  await stage.write('c1', [imported('u', 1)]);
  const resolver = await stage.resolver(BY);
  await resolver.resolve(10, NEVER);
  await expect(resolver.resolve(10, AbortSignal.abort(new Error('no')))).rejects.toThrow('no');
  expect(await written()).toEqual([]);
  await resolveAll(resolver);
  await areRight();
});

it('notes no identity without events', async () => {
  await addEvents(1, `'v'`);
  await stage.write('c1', [imported('u', 1), said('x', 1, {}, { anonymous: true })]);
  const resolver = await stage.resolver(BY);
  await resolver.resolve(10, NEVER);
  expect(await stage.written.stage.rows(`SELECT record_id FROM ${SCHEMA}._moving`)).toEqual([
    // Events of somebody who is known have its id, too.
    { record_id: 'x' },
  ]);
});

const event = fc.record({
  userId: fc.option(fc.constantFrom('u', 'v', 'w'), { nil: undefined }),
  anonymousId: fc.constantFrom('x', 'y'),
});

it('moves every event in pieces of any size, and none twice', async () => {
  await fc.assert(
    fc.asyncProperty(
      fc.array(event, { maxLength: 12 }),
      fc.record({
        identities: fc.integer({ min: 1, max: 3 }),
        events: fc.integer({ min: 1, max: 4 }),
      }),
      async (events, limits) => {
        await stage.empty();
        for (const { anonymousId, userId } of events) await stage.event('c1', anonymousId, userId);
        await stage.write(
          'c1',
          ['u', 'v'].map((id) => imported(id, 1)),
        );
        await stage.write('c1', [said('x', 1, {}, { anonymous: true })]);
        await (await stage.resolver(BY)).resolve(10, NEVER);
        const profiles = new Map(
          (await stage.rows()).map(({ _record_id, _profile_id }) => [_record_id, _profile_id]),
        );
        const moved = events.filter(({ anonymousId, userId = anonymousId }) =>
          profiles.has(userId),
        );
        const [most] = [Math.ceil(moved.length / limits.events) + 3];
        let pieces = 0;
        for (let isLast = false; !isLast; pieces += 1) {
          const [row] = await stage.written.stage.rows(movePiece(SCHEMA, limits));
          isLast = (row as { isLast: boolean }).isLast;
          expect(pieces).toBeLessThan(most);
        }
        for (const { user_id, anonymous_id, profile_id } of await stage.events())
          expect(profile_id).toBe(profiles.get(user_id ?? anonymous_id) ?? null);
      },
    ),
    { numRuns: process.env['PENSTOCK_TEST_LONG'] === '1' ? 15 : 6, endOnFailure: true },
  );
});
