import { isDead, type Owner } from '../owner';
import type { Identity } from './leases';
import type { Database } from './sql/database';

/** The processes that share the partitions, by the database's clock. */
export class Members {
  constructor(
    private readonly database: Database,
    private readonly me: Identity,
    private readonly leaseMs: number,
  ) {}

  /** Records that this member is alive. @returns the ids of all live members, the oldest first. */
  async beat(): Promise<readonly string[]> {
    await this.database.rows(
      `INSERT INTO penstock_router.members (id, process) VALUES ($1, $2)
       ON CONFLICT (id) DO UPDATE SET process = excluded.process, seen_at = now()`,
      [this.me.member, this.me.process],
    );
    return this.living();
  }

  /** The ids of all live members, the oldest first. */
  async living(): Promise<readonly string[]> {
    const rows = await this.database.rows<{ id: string; process: Owner }>(
      `SELECT id, process FROM penstock_router.members
        WHERE seen_at >= now() - $1 * interval '1 millisecond' ORDER BY since, id`,
      [this.leaseMs],
    );
    return rows.filter(({ process }) => !isDead(process, this.me.process)).map(({ id }) => id);
  }

  async leave(): Promise<void> {
    await this.database.rows('DELETE FROM penstock_router.members WHERE id = $1', [this.me.member]);
  }

  async sweep(): Promise<void> {
    await this.database.rows(
      `DELETE FROM penstock_router.members WHERE seen_at < now() - $1 * interval '1 millisecond'`,
      [this.leaseMs],
    );
  }
}
