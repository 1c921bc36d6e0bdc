import type { Audience } from '../../changes';
import { AUDIENCE_DAYS } from '../../referred-audiences';
import { columns } from '../sql/columns';
import type { Database } from '../sql/database';

/** Audiences that are looked at together: some tens of milliseconds. */
const AT_ONCE = 1_000;

/** Before the id of any audience. */
const FIRST = '00000000-0000-0000-0000-000000000000';

const IS_OLD = `a.written < now() - interval '${AUDIENCE_DAYS} days'`;

/** With the order, it is looked up in the index whatever the planner knows of the table. */
const IS_UNUSED = `(SELECT b.minute FROM penstock_router.bases b WHERE b.audience = a.id
                     ORDER BY b.audience, b.kind, b.minute, b.partition LIMIT 1) IS NULL`;

const NEXT = `
SELECT a.id, ${IS_OLD} AND ${IS_UNUSED} AS "isUnused"
  FROM penstock_router.audiences a WHERE a.id > $1 ORDER BY a.id LIMIT ${AT_ONCE}`;

const LOCK = `
SELECT a.id FROM penstock_router.audiences a WHERE a.id = ANY ($1::uuid[]) FOR UPDATE SKIP LOCKED`;

const DELETE = `DELETE FROM penstock_router.audiences a WHERE a.id = ANY ($1::uuid[]) AND ${IS_OLD} AND ${IS_UNUSED}`;

/** The audiences that counts refer to. */
export class Audiences {
  constructor(private readonly database: Database) {}

  /** Inserts audiences in the order of their ids, to avoid deadlocks with routers that write the same ones. */
  async write(audiences: readonly Audience[]): Promise<void> {
    await this.database.rows(
      `INSERT INTO penstock_router.audiences (id, enabled, disabled)
       SELECT id, ARRAY(SELECT jsonb_array_elements_text(enabled)), ARRAY(SELECT jsonb_array_elements_text(disabled))
         FROM unnest($1::uuid[], $2::jsonb[], $3::jsonb[]) AS r (id, enabled, disabled)
        ORDER BY id ON CONFLICT DO NOTHING`,
      columns(
        audiences,
        ({ id }) => id,
        ({ enabled }) => JSON.stringify(enabled),
        ({ disabled }) => JSON.stringify(disabled),
      ),
    );
  }

  /** Removes those that no counts refer to, unless they were written a short time ago. */
  async sweep(): Promise<void> {
    let after = FIRST;
    for (;;) {
      const rows = await this.database.rows<{ id: string; isUnused: boolean }>(NEXT, [after]);
      const unused = rows.filter(({ isUnused }) => isUnused).map(({ id }) => id);
      if (unused.length > 0) await this.remove(unused);
      if (rows.length < AT_ONCE) return;
      after = rows.at(-1)?.id ?? after;
    }
  }

  /**
   * A commit locks the audiences that it refers to. So one that a commit refers to at the moment is skipped, and the second
   * statement sees the counts of all commits that had one of the others; a later commit waits, and finds that it is gone.
   * Nothing waits for a lock in here, so that there are no deadlocks.
   */
  private remove(unused: readonly string[]): Promise<void> {
    return this.database.transaction(async (db) => {
      const { rows } = await db.query<{ id: string }>(LOCK, [unused]);
      await db.query(DELETE, [rows.map(({ id }) => id)]);
    });
  }
}
