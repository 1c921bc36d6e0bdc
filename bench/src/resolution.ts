import { mkdtemp, rm } from 'node:fs/promises';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import type { ConnectionId, PipelineId, ProfileSchema, WorkspaceId } from '@penstock/contracts';
import { startEmbeddedPostgres } from '@penstock/embedded-postgres';
import { newRecord, parseJson, parseSchema } from '@penstock/schema';
import {
  createWarehouses,
  type ImportedRecord,
  MAX_BATCH,
  MAX_RESOLVED,
  settingsOfUrl,
  type WarehousePlatform,
  type WarehouseSettings,
  type WarehouseWriter,
} from '@penstock/warehouses';
import { cells, flag, heading, print } from './table';

const WORKSPACE = 'workspace0000001' as WorkspaceId;
const NEVER = new AbortController().signal;

const property = (name: string) => ({ name, type: { kind: 'string' }, readOptional: true });

const PROFILES: ProfileSchema = {
  version: 1,
  schema: parseSchema(
    parseJson(
      JSON.stringify({
        kind: 'object',
        properties: ['email', 'phone', 'card', 'first_name', 'last_name', 'city'].map(property),
      }),
    ),
  ),
};

/** What the identities of a case have in common. */
interface Case {
  readonly identifiers: readonly string[];
  /** Identities that have one email. */
  readonly ofOnePerson: number;
}

const valuesOf = (row: number, { ofOnePerson }: Case) => {
  const person = Math.floor(row / ofOnePerson);
  return {
    ...{ email: `user${person}@example.com`, phone: `+39 ${row}`, card: `card ${row}` },
    ...{ first_name: `First ${row % 997}`, last_name: `Last ${row}`, city: `City ${row % 101}` },
  };
};

const recordOf = (row: number, of: Case): ImportedRecord => ({
  kind: 'record',
  recordId: `user-${row}`,
  updatedAtUs: 1_700_000_000_000_000n + BigInt(row),
  tieBreaker: '2026-01-02T00:00:00Z',
  values: Object.assign(newRecord(), valuesOf(row, of)),
});

/** A warehouse of its own, in a schema of its own. */
class Measured {
  private static count = 0;

  static async open(platform: WarehousePlatform, url: string, of: Case): Promise<Measured> {
    Measured.count += 1;
    const settings: WarehouseSettings = new Map([
      ...settingsOfUrl(url),
      ['schema', `case_${Measured.count}`],
    ]);
    const warehouse = await platform.connect(settings, AbortSignal.timeout(60_000));
    await warehouse.initialise(WORKSPACE);
    await warehouse.repair(WORKSPACE, PROFILES);
    await warehouse.close();
    const options = { workspace: WORKSPACE, profiles: PROFILES, keyedHash: String };
    return new Measured(await platform.openWriter(settings, options, NEVER), of);
  }

  private constructor(
    private readonly writers: WarehouseWriter,
    private readonly of: Case,
  ) {}

  /** Writes identities with the numbers from one to another, which is not among them. */
  async write(from: number, to: number): Promise<void> {
    const writer = await this.writers.begin({ role: 'run bench', epoch: 1 });
    for (let first = from; first < to; first += MAX_BATCH) {
      const rows = Array.from({ length: Math.min(MAX_BATCH, to - first) }, (_, at) => first + at);
      await writer.write({
        pipeline: 'pipeline00000001' as PipelineId,
        connection: 'connection000001' as ConnectionId,
        updates: rows.map((row) => recordOf(row, this.of)),
      });
    }
  }

  /** @returns the seconds until nothing is left to be resolved */
  async resolve(): Promise<number> {
    const resolver = await this.writers.beginResolution(
      { role: 'resolution', epoch: 1 },
      {
        ...{ identifiers: this.of.identifiers },
        ...{ blockedValues: new Map(), primarySources: new Map() },
      },
    );
    const startMs = performance.now();
    while (!(await resolver.resolve(MAX_RESOLVED, NEVER)).isLast);
    return (performance.now() - startMs) / 1_000;
  }

  close(): Promise<void> {
    return this.writers.close();
  }
}

const ONE = ['email'];
const THREE = ['email', 'phone', 'card'];

const measureOn = async (url: string): Promise<void> => {
  const platform = createWarehouses({ allow: ['127.0.0.0/8'] }).get('PostgreSQL');
  if (platform === undefined) throw new Error('no PostgreSQL');
  const plain = new URL(url);
  plain.search = '';
  const fromNothing = async (name: string, count: number, of: Case): Promise<number> => {
    const measured = await Measured.open(platform, plain.href, of);
    await measured.write(0, count);
    const seconds = await measured.resolve();
    print(cells(name, seconds.toFixed(2), count / seconds));
    await measured.close();
    return seconds;
  };
  const more = async (name: string, count: number): Promise<void> => {
    const measured = await Measured.open(platform, plain.href, {
      identifiers: THREE,
      ofOnePerson: 2,
    });
    await measured.write(0, count);
    const all = await measured.resolve();
    print(cells(`${name}: those before`, all.toFixed(2), count / all));
    // Half of them belong to a person who is there.
    await measured.write(count - 1, count + 999);
    const seconds = await measured.resolve();
    print(cells(name, seconds.toFixed(2), 1_000 / seconds));
    await measured.close();
  };
  print(heading('identities', 'seconds', 'identities/s'));
  if (flag('full')) {
    await more('1,000 more on 1,000,000', 1_000_000);
    return;
  }
  await fromNothing('100,000, one identifier', 100_000, { identifiers: ONE, ofOnePerson: 2 });
  const three = { identifiers: THREE, ofOnePerson: 2 };
  const once = await fromNothing('100,000, three identifiers', 100_000, three);
  const twice = await fromNothing('200,000, three identifiers', 200_000, three);
  await more('1,000 more on 100,000', 100_000);
  const distinct = await fromNothing('10,000 with a value each', 10_000, {
    ...{ identifiers: ONE, ofOnePerson: 1 },
  });
  const shared = await fromNothing('10,000 with one value', 10_000, {
    ...{ identifiers: ONE, ofOnePerson: 10_000 },
  });
  print();
  print(heading('ratio', 'is'));
  print(cells('200,000 to 100,000', (twice / once).toFixed(2)));
  print(cells('one value to a value each', (shared / distinct).toFixed(2)));
};

/** Measures how long identities take to be resolved, each case in a warehouse of its own. */
export const measureResolution = async (): Promise<void> => {
  const folder = await mkdtemp(join(tmpdir(), 'penstock-bench-'));
  const postgres = await startEmbeddedPostgres({ dataDir: join(folder, 'data') });
  try {
    await measureOn(postgres.url);
  } finally {
    await postgres.stop();
    await rm(folder, { recursive: true, force: true });
  }
};
