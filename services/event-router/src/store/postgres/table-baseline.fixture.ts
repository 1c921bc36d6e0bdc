import type { Pool } from 'pg';

/** The columns of all tables that are no slices, as one text. */
const SHAPE = `
SELECT string_agg(format('%s %s %s %s', c.oid, c.relname, a.attname, a.atttypid), ' ' ORDER BY c.oid, a.attnum) AS shape
  FROM pg_class c JOIN pg_attribute a ON a.attrelid = c.oid
 WHERE c.relnamespace = to_regnamespace('penstock_router') AND c.relkind IN ('r', 'p')
   AND NOT c.relispartition AND a.attnum > 0 AND NOT a.attisdropped`;

const SLICES = `
SELECT c.oid::regclass::text AS name FROM pg_class c
 WHERE c.relnamespace = to_regnamespace('penstock_router') AND c.relkind IN ('r', 'p') AND c.relispartition`;

/** Tables that are no slices, and those that own a sequence. */
const TABLES = `
SELECT c.oid::regclass::text AS name,
       (SELECT d.objid::regclass::text FROM pg_depend d JOIN pg_class s ON s.oid = d.objid AND s.relkind = 'S'
         WHERE d.refobjid = c.oid) AS sequence
  FROM pg_class c
 WHERE c.relnamespace = to_regnamespace('penstock_router') AND c.relkind IN ('r', 'p') AND NOT c.relispartition
 ORDER BY c.oid DESC`;

const namesOf = async (pool: Pool): Promise<readonly string[]> =>
  (await pool.query<{ name: string }>(SLICES)).rows.map(({ name }) => name);

const shapeOf = async (pool: Pool): Promise<string | null> =>
  (await pool.query<{ shape: string | null }>(SHAPE)).rows[0]?.shape ?? null;

/** The router's tables at one moment, to which their rows can be restored without a migration. */
export class TableBaseline {
  private constructor(
    private readonly shape: string | null,
    private readonly slices: readonly string[],
    private readonly statements: string,
  ) {}

  /** Copies the rows that there are. */
  static async of(pool: Pool): Promise<TableBaseline> {
    await pool.query('DROP SCHEMA IF EXISTS baseline CASCADE; CREATE SCHEMA baseline');
    const { rows: tables } = await pool.query<{ name: string; sequence: string | null }>(TABLES);
    const deletes = tables.map(({ name }) => `DELETE FROM ${name};`);
    const rest: string[] = [];
    for (const { name, sequence } of tables) {
      if (sequence !== null) rest.push(`ALTER SEQUENCE ${sequence} RESTART;`);
      const copy = name.replace(/^.*\./, 'baseline.');
      const { rowCount } = await pool.query(`SELECT FROM ${name} LIMIT 1`);
      if (rowCount === 0) continue;
      await pool.query(`CREATE TABLE ${copy} AS TABLE ${name}`);
      rest.unshift(`INSERT INTO ${name} TABLE ${copy};`);
    }
    const statements = [...deletes, ...rest].join('\n');
    return new TableBaseline(await shapeOf(pool), await namesOf(pool), statements);
  }

  /**
   * Restores the rows and drops slices that were created since then.
   *
   * @returns whether that was possible: tables, columns and slices are the same ones.
   */
  async restore(pool: Pool): Promise<boolean> {
    if ((await shapeOf(pool)) !== this.shape) return false;
    const present = new Set(await namesOf(pool));
    if (!this.slices.every((name) => present.delete(name))) return false;
    const drops = [...present].map((name) => `DROP TABLE ${name};`);
    await pool.query([...drops, this.statements].join('\n'));
    return true;
  }
}
