import type { Observation } from '../router-store';
import type { Members } from './members';
import type { Database } from './sql/database';

const REMOVE = `
DELETE FROM penstock_router.observations o
 WHERE o.member = $1 AND (o.subject, o.id) NOT IN (SELECT * FROM unnest($2::text[], $3::text[]))`;

const ADD = `
INSERT INTO penstock_router.observations AS o (member, subject, id, code, since_ms)
SELECT $1, * FROM unnest($2::text[], $3::text[], $4::text[], $5::float8[]) AS new (subject, id, code, since_ms)
 ORDER BY subject, id
ON CONFLICT (member, subject, id) DO UPDATE SET code = excluded.code, since_ms = excluded.since_ms
 WHERE (o.code, o.since_ms) <> (excluded.code, excluded.since_ms)`;

/** What the members have observed of destinations and pipelines. */
export class Observations {
  constructor(
    private readonly database: Database,
    private readonly members: Members,
    private readonly me: string,
  ) {}

  async replace(observations: readonly Observation[]): Promise<void> {
    const keys = [
      this.me,
      observations.map(({ subject }) => subject),
      observations.map(({ id }) => id),
    ];
    const codes = observations.map(({ code }) => code);
    const times = observations.map(({ sinceMs }) => sinceMs);
    await this.database.transaction(async (db) => {
      await db.query(REMOVE, keys);
      await db.query(ADD, [...keys, codes, times]);
    });
  }

  async toReport(): Promise<readonly Observation[] | undefined> {
    const members = await this.members.living();
    if (members[0] !== this.me) return undefined;
    return this.database.rows<Observation>(
      `SELECT subject, id, code, since_ms AS "sinceMs" FROM penstock_router.observations
        WHERE member = ANY ($1) ORDER BY subject, id, array_position($1, member)`,
      [members],
    );
  }

  /** Removes what members have observed that have left the roll. */
  async sweep(): Promise<void> {
    await this.database.rows(
      `DELETE FROM penstock_router.observations o
        WHERE NOT EXISTS (SELECT FROM penstock_router.members m WHERE m.id = o.member)`,
    );
  }
}
