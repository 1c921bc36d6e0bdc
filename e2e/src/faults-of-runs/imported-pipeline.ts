import { writeFileSync } from 'node:fs';
import { join } from 'node:path';
import { Client } from 'pg';
import { ApiClient } from '../harness/api-client';
import { until } from '../harness/until';

/** A run as the API shows it. */
export interface ShownRun {
  readonly id: string;
  readonly status: string;
  readonly attempt: number;
  readonly passed: readonly number[];
  readonly failed: readonly number[];
  readonly error: string;
  readonly purged: number;
  readonly progress: {
    readonly passed: readonly number[];
    readonly rate: number;
    readonly eta: number | null;
    readonly total: number | null;
  } | null;
}

/** A fact in the history of a run. */
export interface ShownFact {
  readonly type: string;
  readonly time: string;
}

const text = { kind: 'string' };
const property = (name: string, flags: object = {}) => ({ name, type: text, ...flags });

const DEFINITION = {
  format: 'csv',
  path: 'users.csv',
  formatSettings: { hasColumnNames: true },
  userIDColumn: 'id',
  updatedAtColumn: 'at',
  updatedAtFormat: 'ISO8601',
  filter: {
    logical: 'and',
    conditions: [{ property: 'name', operator: 'is not', values: ['Nobody'] }],
  },
  transformation: { mapping: { email: 'lower(email)', first_name: 'name' } },
  inSchema: { kind: 'object', properties: ['id', 'at', 'email', 'name'].map((n) => property(n)) },
  outSchema: {
    kind: 'object',
    properties: ['email', 'first_name'].map((name) => property(name, { readOptional: true })),
  },
};

/** What becomes of the n-th record: each tenth is left out, each seventh fails at Receive. */
const fateOf = (n: number): 'filtered' | 'failed' | 'merged' => {
  if (n % 10 === 3) return 'filtered';
  return n % 7 === 5 ? 'failed' : 'merged';
};

/** A pipeline that imports the file `users.csv` into the warehouse of its workspace. */
export class ImportedPipeline {
  private constructor(
    private readonly api: ApiClient,
    readonly id: string,
    /** Of the warehouse. */
    readonly schema: string,
    private readonly databaseUrl: () => string,
  ) {}

  static async create(
    api: ApiClient,
    schema: string,
    databaseUrl: () => string,
  ): Promise<ImportedPipeline> {
    const connection = await api.createConnection({
      ...{ name: 'Files', role: 'Source', connector: 'filesystem', settings: {} },
    });
    const body = { name: 'Users', target: 'User', enabled: true, connection, ...DEFINITION };
    const { id } = (await api.call('POST', '/v1/pipelines', body)) as { readonly id: string };
    return new ImportedPipeline(api, id, schema, databaseUrl);
  }

  async begin(): Promise<string> {
    const path = `/v1/pipelines/${this.id}/runs`;
    return ((await this.api.call('POST', path)) as { readonly id: string }).id;
  }

  async get(run: string): Promise<ShownRun> {
    return (await this.api.call('GET', `/v1/pipelines/runs/${run}`)) as ShownRun;
  }

  async cancel(run: string): Promise<void> {
    await this.api.call('POST', `/v1/pipelines/runs/${run}/cancel`);
  }

  /** Waits until a run has settled so many records. */
  async settled(run: string, records: number): Promise<void> {
    await until(`${String(records)} records are settled`, async () => {
      const { progress } = await this.get(run);
      if (progress === null) throw new Error('the run has ended too early');
      return (progress.passed[0] ?? 0) >= records;
    });
  }

  async ended(run: string): Promise<ShownRun> {
    await until('the run has ended', async () => (await this.get(run)).progress === null);
    return this.get(run);
  }

  async history(run: string): Promise<readonly ShownFact[]> {
    const path = `/v1/pipelines/runs/${run}/history?limit=1000`;
    return ((await this.api.call('GET', path)) as { readonly facts: readonly ShownFact[] }).facts;
  }

  /** What the warehouse has of the pipeline: first names by record id. */
  async identities(): Promise<ReadonlyMap<string, string>> {
    const client = new Client({ connectionString: this.databaseUrl() });
    await client.connect();
    try {
      const { rows } = await client.query<{ id: string; name: string }>(
        `SELECT _record_id AS id, first_name AS name FROM ${this.schema}._identities
          WHERE _pipeline = $1`,
        [this.id],
      );
      return new Map(rows.map(({ id, name }) => [id, name]));
    } finally {
      await client.end();
    }
  }
}

const CLASSES = ['merged', 'filtered', 'failed'] as const;

/** A file of users, as it is written for all pipelines. */
export class UsersFile {
  constructor(
    private readonly root: string,
    readonly records: number,
  ) {}

  /** @param others ids that are written beside those of the users. */
  write(version: string, minute: number, others: readonly string[] = []): void {
    const at = new Date(Date.UTC(2026, 0, 1, 0, minute)).toISOString();
    const lines = ['id,at,email,name'];
    for (let n = 0; n < this.records; n += 1) {
      const fate = fateOf(n);
      const name = fate === 'filtered' ? 'Nobody' : version;
      const time = fate === 'failed' ? '1800-01-01T00:00:00Z' : at;
      lines.push(`u${String(n)},${time},User${String(n)}@Example.COM,${name}`);
    }
    for (const id of others) lines.push(`${id},${at},${id}@example.com,${version}`);
    writeFileSync(join(this.root, 'users.csv'), `${lines.join('\n')}\n`);
  }

  /** What an undisturbed full import of it shows. */
  totals(others = 0): { readonly passed: readonly number[]; readonly failed: readonly number[] } {
    const [merged, filtered, failed] = CLASSES.map((each) => this.idsOf(each).length);
    const [all, ok] = [(merged ?? 0) + (filtered ?? 0) + others, (merged ?? 0) + others];
    return {
      passed: [all, all, ok, ok, ok, ok],
      failed: [failed ?? 0, 0, filtered ?? 0, 0, 0, 0],
    };
  }

  /** The identities that it becomes. */
  identities(version: string): ReadonlyMap<string, string> {
    return new Map(this.idsOf('merged').map((id) => [id, version]));
  }

  private idsOf(wanted: (typeof CLASSES)[number]): readonly string[] {
    return Array.from({ length: this.records }, (_, n) => n)
      .filter((n) => fateOf(n) === wanted)
      .map((n) => `u${String(n)}`);
  }
}
