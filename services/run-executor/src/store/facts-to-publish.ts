import {
  ADVISORY_LOCK,
  instant,
  type PipelineId,
  type RunFact,
  type RunId,
  TOPIC,
  type WorkspaceId,
} from '@penstock/contracts';
import type { Database } from './database';
import type { FactToPublish, Published } from './run-store';

/** Bytes of facts that are read at once; the one that goes beyond them is read, too. */
const MAX_BYTES = 4_000_000;

/** Facts of one run get their ids in order: its row is locked until the transaction of each has ended. */
const TO_PUBLISH = `
SELECT f.id::text AS id, f.run, f.number, f.at, f.actor, f.type, f.data, r.pipeline, r.workspace
  FROM (SELECT o.*, sum(octet_length(o.data)) OVER (ORDER BY o.id) - octet_length(o.data) AS before
          FROM (SELECT * FROM penstock_runs.facts WHERE NOT published ORDER BY id LIMIT $1) AS o) AS f
  JOIN penstock_runs.runs r ON r.id = f.run
 WHERE f.before < ${String(MAX_BYTES)} ORDER BY f.id`;

const KNOWN_END =
  'SELECT end_offset::float8 AS "end" FROM penstock_runs.published WHERE topic = $1';

const SET_END = `
INSERT INTO penstock_runs.published (topic, end_offset) VALUES ($1, $2)
ON CONFLICT (topic) DO UPDATE SET end_offset = excluded.end_offset`;

/** Milliseconds that reading from the log and appending to it may take. */
const APPENDING_MS = 5_000;

const MARK = 'UPDATE penstock_runs.facts SET published = true WHERE id = ANY($1::bigint[])';

interface Row {
  readonly id: string;
  readonly run: RunId;
  readonly number: number;
  readonly at: Date;
  readonly actor: string;
  readonly type: RunFact['type'];
  readonly data: string;
  readonly pipeline: PipelineId;
  readonly workspace: WorkspaceId;
}

const factOf = ({ id, run, number, at, actor, type, data, pipeline, workspace }: Row) => ({
  id,
  fact: {
    ...{ run, pipeline, workspace, number, time: instant(at), actor },
    fact: { type, data: JSON.parse(data) as object } as RunFact,
  },
});

/** The facts that are not on the log yet. */
export class FactsToPublish {
  constructor(private readonly database: Database) {}

  /**
   * Gives them to the work in their order, with the end of the topic as it was known last, and records what it has
   * published. One process at a time.
   *
   * @returns how many were published; undefined while another process does it.
   */
  publish(
    limit: number,
    work: (facts: readonly FactToPublish[], end: number | null) => Promise<Published>,
  ): Promise<number | undefined> {
    return this.database.transaction(async (db) => {
      const { rows: locks } = await db.query<{ held: boolean }>(
        'SELECT pg_try_advisory_xact_lock($1) AS held',
        [ADVISORY_LOCK.publishRuns],
      );
      if (locks[0]?.held !== true) return undefined;
      const { rows } = await db.query<Row>(TO_PUBLISH, [limit]);
      if (rows.length === 0) return 0;
      const { rows: ends } = await db.query<{ end: number }>(KNOWN_END, [TOPIC.runs]);
      const { ids, end } = await work(rows.map(factOf), ends[0]?.end ?? null);
      await db.query(MARK, [ids]);
      await db.query(SET_END, [TOPIC.runs, end]);
      return ids.length;
    }, APPENDING_MS);
  }
}
