import type { ScannedProfile, ScanWanted } from '../../platform/profile-reads';
import { PROFILES } from '../../platform/profiles.fixture';
import type { WarehouseReader } from '../../platform/warehouse-reader';
import { MINE } from '../../platform/warehouse-writer.contract';
import { SCHEMA } from '../stage.fixture';
import { type WrittenStage, writtenStage } from '../writing/written-stage.fixture';

jest.setTimeout(60_000);

let written: WrittenStage;
let reader: WarehouseReader;
let end: AbortController;

beforeAll(async () => {
  written = await writtenStage(MINE);
  await written.stage.as(written.loader, (warehouse) => warehouse.repair(MINE, PROFILES));
  end = new AbortController();
  const options = { workspace: MINE, epoch: 1, connections: 2 };
  reader = await written.stage.reader(written.loader, options, end.signal);
});
afterAll(async () => {
  end.abort();
  await written.close();
});
beforeEach(() => run('TRUNCATE _profiles'));

const run = (...statements: readonly string[]) =>
  written.stage.run(`SET search_path = ${SCHEMA}`, ...statements);

const { schema } = PROFILES;
const limit = () => AbortSignal.timeout(30_000);

const wantedOf = (wanted: Partial<ScanWanted> = {}): ScanWanted => ({
  ...{ profiles: PROFILES, properties: schema, filter: null, ...wanted },
});

const scanned = async (
  wanted: Partial<ScanWanted>,
  size: number,
  between?: () => Promise<void>,
): Promise<ScannedProfile[]> => {
  const found: ScannedProfile[] = [];
  for (let isLast = false; !isLast;) {
    const after = found.at(-1)?.id;
    const page = await reader.scan({ ...wantedOf(wanted), limit: size, after }, limit());
    expect(page.profiles.length).toBeLessThanOrEqual(size);
    found.push(...page.profiles);
    ({ isLast } = page);
    await between?.();
  }
  return found;
};

const inOrder = async (
  path: string,
  wanted: Partial<ScanWanted> = {},
): Promise<ScannedProfile[]> => {
  const found: ScannedProfile[] = [];
  for await (const part of reader.scanInOrder(wantedOf(wanted), path, limit())) found.push(...part);
  return found;
};

const many = (count: number): Promise<void> =>
  run(`INSERT INTO _profiles (_profile_id, i64, text)
       SELECT ('00000000-0000-4000-8000-' || lpad(n::text, 12, '0'))::uuid, n % 7, 'text ' || n
       FROM generate_series(0, ${count - 1}) AS n`);

it('gives the connection up where it is not read to its end, and others go on', async () => {
  await many(500);
  for (let round = 0; round < 4; round += 1)
    for await (const part of reader.scanInOrder(wantedOf(), 'i64', limit())) {
      expect(part.length).toBeGreaterThan(0);
      break;
    }
  const given = new AbortController();
  const aborted = async () => {
    for await (const _ of reader.scanInOrder(wantedOf(), 'i64', given.signal)) given.abort();
  };
  await expect(aborted()).rejects.toMatchObject({ kind: 'unreachable' });
  expect(await reader.countProfiles(limit())).toBe(500);
});

it('is kept out with other readers, also while it reads', async () => {
  await many(500);
  const reading = async () => {
    for await (const _ of reader.scanInOrder(wantedOf(), 'i64', limit()))
      await written.stage.as(written.loader, (warehouse) =>
        warehouse.keepReadersOut(MINE, { epoch: 2, graceMs: 50 }),
      );
  };
  await expect(reading()).rejects.toMatchObject({ kind: 'unreachable' });
  await expect(inOrder('i64')).rejects.toMatchObject({ kind: 'fenced' });
  await expect(scanned({}, 5)).rejects.toMatchObject({ kind: 'fenced' });
});
