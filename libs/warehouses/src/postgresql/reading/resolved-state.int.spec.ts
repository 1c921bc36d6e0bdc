import type { ResolvedState } from '../../platform/resolved-reads';
import type { WarehouseReader } from '../../platform/warehouse-reader';
import { MINE } from '../../platform/warehouse-writer.contract';
import { SCHEMA } from '../stage.fixture';
import { type WrittenStage, writtenStage } from '../writing/written-stage.fixture';

jest.setTimeout(60_000);

let written: WrittenStage;
let reader: WarehouseReader;
let end: AbortController;

beforeEach(async () => {
  written = await writtenStage(MINE);
  end = new AbortController();
  const options = { workspace: MINE, epoch: 1, connections: 1 };
  reader = await written.stage.reader(written.loader, options, end.signal);
});
afterEach(async () => {
  end.abort();
  await written.close();
});

const run = (...statements: readonly string[]) =>
  written.stage.run(`SET search_path = ${SCHEMA}`, ...statements);

const resolved = <T>(work: (state: ResolvedState) => Promise<T>): Promise<T> =>
  reader.resolved(work, AbortSignal.timeout(30_000));

const all = async <Row>(pages: AsyncIterable<readonly Row[]>): Promise<Row[]> => {
  const rows: Row[] = [];
  for await (const page of pages) rows.push(...page);
  return rows;
};

const idOf = (nth: number): string => `00000000-0000-4000-8000-${String(nth).padStart(12, '0')}`;
const ID = `('00000000-0000-4000-8000-' || lpad(n::text, 12, '0'))::uuid`;

const insert = (count: number): Promise<unknown> =>
  run(
    `INSERT INTO _identities (_connection, _pipeline, _record_id, _anonymous, _profile_id)
     SELECT 'c', 'p', n, false, CASE WHEN n > 1 THEN ${ID} END FROM generate_series(1, ${count}) AS n`,
    `INSERT INTO _profiles (_profile_id, _identities) SELECT ${ID}, n FROM generate_series(1, ${count}) AS n`,
    `INSERT INTO _profile_aliases (alias, profile_id) SELECT ${ID}, ${ID} FROM generate_series(1, ${count}) AS n`,
    `INSERT INTO _dirty (identity, profile_id)
     SELECT n, CASE WHEN n > 1 THEN ${ID} END FROM generate_series(1, ${count}) AS n`,
    `INSERT INTO _profile_history (profile_id, id, at, fact)
     SELECT '${idOf(1)}', n, '2026-01-01T00:00:00.123456Z'::timestamptz + n / 3 * '1 us'::interval, '{}'
     FROM generate_series(1, ${count}) AS n`,
  );

it.each([0, 9_999, 10_000, 10_001, 20_000])('reads %i rows of each table once', async (count) => {
  await insert(count);
  await resolved(async (state) => {
    const numbers = Array.from({ length: count }, (_, nth) => nth + 1);
    const ids = numbers.map(idOf);
    expect(await all(state.identities())).toEqual(
      numbers.map((number) => ({ number, profile: number === 1 ? null : idOf(number) })),
    );
    expect(await all(state.profiles())).toEqual(
      numbers.map((number) => ({ profile: idOf(number), identities: number })),
    );
    expect(await all(state.aliases())).toEqual(ids.map((id) => ({ alias: id, profile: id })));
    expect(await all(state.unresolved())).toEqual(ids.slice(1).map((profile) => ({ profile })));
    expect(await all(state.history())).toEqual(
      numbers.map((number) => ({ profile: idOf(1), number })),
    );
    const { newest } = await state.head();
    expect(newest).toBe(count === 0 ? undefined : count);
  });
});

it.each([99, 100, 101])('reads %i facts that are not published', async (count) => {
  const madeAtMs = Date.UTC(2026, 0, 1);
  await run(
    // The stage is a copy of one that was made at the beginning of the run.
    `UPDATE _meta SET created_at = '2026-01-01T00:00:00Z'`,
    `INSERT INTO _outbox (profile_id, fact)
     SELECT ${ID}, jsonb_build_object('n', n) FROM generate_series(1, ${count}) AS n`,
  );
  await resolved(async (state) => {
    const facts = await all(state.facts());
    expect(facts.map(({ number, fact }) => [number, fact])).toEqual(
      Array.from({ length: count }, (_, nth) => [String(nth + 1), { n: nth + 1 }]),
    );
    expect(facts.every(({ atMs }) => atMs > madeAtMs)).toBe(true);
    expect(await state.head()).toEqual({ madeAtMs, newest: count });
  });
});

it('reads nothing where readers of its epoch are kept out, and for nobody else', async () => {
  await written.stage.as(written.loader, (warehouse) =>
    warehouse.keepReadersOut(MINE, { epoch: 2, graceMs: 100 }),
  );
  await expect(resolved((state) => state.head())).rejects.toMatchObject({ kind: 'fenced' });
  await run(`UPDATE _meta SET workspace = 'other'`, `DELETE FROM _fences`);
  await expect(resolved((state) => state.head())).rejects.toMatchObject({ kind: 'foreign' });
});
