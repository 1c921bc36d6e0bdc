import { type Client, escapeLiteral, type QueryResult } from 'pg';
import { qualified } from '../sql/names';
import type { Rules } from './rules';
import type { Stages, StageTable, StageTables } from './stage-tables';

/**
 * How a statement finds its rows. `looksUp`: each one along an index, whatever the statistics say, as what has changed is
 * little and the tables are large; their statistics, and those of a table that has just been filled, may say otherwise.
 * `joins`: as the server sees fit, of tables that the batch has filled, and knows.
 */
export type Way = 'looksUp' | 'joins';

const SETTINGS: Readonly<Record<Way, string>> = {
  looksUp: 'off',
  joins: 'on',
};

/** Statements after which the transaction finds rows in this way. */
export const waySettings = (way: Way): readonly string[] =>
  ['seqscan', 'bitmapscan', 'hashjoin', 'mergejoin', 'material'].map(
    (name) => `SET LOCAL enable_${name} = ${SETTINGS[way]}`,
  );

/** Rows of a table that are not worth looking at what they are: any way finds them at once. */
const FEW = 1_000;

/** Pages of a table that are read in the time in which one row is looked up. */
const PAGES_OF_LOOK_UP = 0.25;

const PAGE_BYTES = 8_192;

/** One transaction of a resolution, with the tables that it fills. */
export class Batch {
  readonly tables: StageTables;
  private readonly made = new Set<StageTable>();
  private readonly added = new Map<StageTable, number>();
  private readonly pages = new Map<string, number>();
  private way: Way | undefined;

  constructor(
    private readonly client: Client,
    readonly schema: string,
    readonly rules: Rules,
    private readonly signal: AbortSignal,
    private readonly stages: Stages,
  ) {
    this.tables = stages.tables;
  }

  /** Makes tables that may stay empty. */
  async make(...names: readonly StageTable[]): Promise<void> {
    for (const name of names) this.made.add(name);
    await this.execute(names.flatMap((name) => this.stages.create(name)));
  }

  /** Executes a statement that adds rows to one of the tables, which is made for it. @returns how many it has added */
  async fill(name: StageTable, way: Way, statement: string): Promise<number> {
    const create = this.made.has(name) ? [] : this.stages.create(name);
    this.made.add(name);
    const rows = await this.counted(way, create, statement);
    this.added.set(name, (this.added.get(name) ?? 0) + rows);
    if (rows > FEW) await this.execute([`ANALYZE ${this.tables[name]}`]);
    return rows;
  }

  /**
   * How a statement finds the rows of a table of the warehouse that belong to those of a table of the batch: where they are
   * many beside the size of the former, as when everything is resolved for the first time, it is sooner read whole.
   */
  async wayTo(table: string, by: StageTable): Promise<Way> {
    const pages = this.pages.get(table) ?? (await this.readPages(table));
    this.pages.set(table, pages);
    return (this.added.get(by) ?? 0) * PAGES_OF_LOOK_UP > pages ? 'joins' : 'looksUp';
  }

  /** @returns how many rows the statement has written */
  async write(way: Way, statement: string): Promise<number> {
    return this.counted(way, [], statement);
  }

  async rows<Row>(way: Way, statement: string): Promise<readonly Row[]> {
    const results = await this.execute([...this.settingsFor(way), statement]);
    return (results.at(-1)?.rows ?? []) as Row[];
  }

  /** Leaves one of the tables empty. */
  async empty(name: StageTable): Promise<void> {
    await this.execute([`DELETE FROM ${this.tables[name]}`]);
  }

  /** Gives the tables up. */
  async end(): Promise<void> {
    const statements = this.stages.end([...this.made]);
    if (statements.length > 0) await this.execute(statements);
  }

  private async readPages(table: string): Promise<number> {
    const name = escapeLiteral(qualified(this.schema, table));
    const [row] = await this.rows<{ bytes: number }>(
      this.way ?? 'looksUp',
      `SELECT pg_relation_size(${name}::regclass)::float8 AS bytes`,
    );
    return (row?.bytes ?? 0) / PAGE_BYTES;
  }

  private async counted(way: Way, before: readonly string[], statement: string): Promise<number> {
    const first = [...before, ...this.settingsFor(way)];
    const results = await this.execute([...first, statement]);
    return results[first.length]?.rowCount ?? 0;
  }

  private settingsFor(way: Way): readonly string[] {
    if (this.way === way) return [];
    this.way = way;
    return waySettings(way);
  }

  /** In one message, so that the server does not wait for this process in between. */
  private async execute(statements: readonly string[]): Promise<readonly QueryResult[]> {
    this.signal.throwIfAborted();
    const results = (await this.client.query(statements.join(';\n'))) as unknown;
    return Array.isArray(results) ? (results as QueryResult[]) : [results as QueryResult];
  }
}
