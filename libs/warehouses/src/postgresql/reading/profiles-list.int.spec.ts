import { setTimeout } from 'node:timers/promises';
import type { ProfileOrder, ProfilesWanted } from '../../platform/profile-reads';
import { profileId, PROFILES } from '../../platform/profiles.fixture';
import { MINE } from '../../platform/warehouse-writer.contract';
import { SCHEMA } from '../stage.fixture';
import { type WrittenStage, writtenStage } from '../writing/written-stage.fixture';

jest.setTimeout(60_000);

let written: WrittenStage;

beforeAll(async () => {
  written = await writtenStage(MINE);
  await written.stage.as(written.loader, (warehouse) => warehouse.repair(MINE, PROFILES));
});
afterAll(() => written.close());
beforeEach(() => run('TRUNCATE _profiles'));

const run = (...statements: readonly string[]) =>
  written.stage.run(`SET search_path = ${SCHEMA}`, ...statements);

const { schema } = PROFILES;
const BY_UPDATE: ProfileOrder = { path: null, isDescending: true };

const wantedOf = (wanted: Partial<ProfilesWanted>): ProfilesWanted => ({
  ...{ profiles: PROFILES, properties: schema, filter: null, order: BY_UPDATE },
  ...{ limit: 100, isCounted: false, ...wanted },
});

const many = (count: number, from = 0): Promise<void> =>
  run(`INSERT INTO _profiles (_profile_id, _updated_at, i64)
       SELECT ('00000000-0000-4000-8000-' || lpad(n::text, 12, '0'))::uuid,
              '2026-03-01T09:30Z'::timestamptz + n * interval '1 microsecond', n % 7
       FROM generate_series(${from}, ${from + count - 1}) AS n`);

describe('by the time of the update', () => {
  it.each([false, true])('are read along the index, with statistics: %s', async (isAnalysed) => {
    await run('ALTER TABLE _profiles SET (autovacuum_enabled = false)');
    await many(20_000);
    if (isAnalysed) await run('ANALYZE _profiles');
    const read = async () => {
      await run('SELECT pg_stat_clear_snapshot()');
      const [row] = await written.stage.rows(
        `SELECT (SELECT idx_tup_read FROM pg_stat_user_indexes WHERE indexrelname = '_profiles__updated_at_idx')::int AS indexed,
                (SELECT seq_tup_read FROM pg_stat_user_tables WHERE relid = '${SCHEMA}._profiles'::regclass)::int AS scanned`,
      );
      return row as { indexed: number; scanned: number };
    };
    const before = await read();
    const own = new AbortController();
    const options = { workspace: MINE, epoch: 1, connections: 1 };
    const session = await written.stage.reader(written.loader, options, own.signal);
    const next = async (after?: string) => {
      const { profiles } = await session.profiles(
        wantedOf({ limit: 100, after }),
        AbortSignal.timeout(20_000),
      );
      return profiles.at(-1)?.place;
    };
    expect(await next(await next())).toContain(profileId(19_800));
    own.abort();
    // What a session has read is known when it has ended.
    for (let tries = 0; (await read()).indexed < before.indexed + 202 && tries < 200; tries += 1)
      await setTimeout(50);
    const after = await read();
    expect(after.indexed - before.indexed).toBeGreaterThanOrEqual(202);
    expect(after.indexed - before.indexed).toBeLessThan(400);
    // What sessions of earlier tests have read of their few rows may become known now.
    expect(after.scanned - before.scanned).toBeLessThan(1_000);
  });
});
