import { type AccessView, instant } from '@penstock/contracts';
import type { Pool } from 'pg';

interface AccessRow {
  readonly id: string;
  readonly at_ms: number;
  readonly actor: string;
  readonly delivery: string;
  readonly request_id: string;
}

/** An access to values. */
interface NewAccess {
  readonly actor: string;
  readonly requestId: string;
  /** What the access log shows: the id of the delivery, the place of the event, or what was watched. */
  readonly delivery: string;
}

/** The accesses to values of a workspace; `WholeDeliveries` records those of single deliveries itself. */
export class Accesses {
  constructor(private readonly pool: Pool) {}

  /** Resolves when the access is on the database's disk. Await it before values are answered. */
  async record(workspace: string, { actor, requestId, delivery }: NewAccess): Promise<void> {
    await this.pool.query(
      'INSERT INTO penstock_router.accesses (workspace, actor, request_id, delivery) VALUES ($1, $2, $3, $4)',
      [workspace, actor, requestId, delivery],
    );
  }

  /** @param before the number of the last access of the page before; absent: the newest ones. */
  async list(
    workspace: string,
    limit: number,
    before: string | undefined,
  ): Promise<readonly (AccessView & { readonly number: string })[]> {
    const { rows } = await this.pool.query<AccessRow>(
      `SELECT id, (extract(epoch FROM at) * 1000)::float8 AS at_ms, actor, delivery, request_id
         FROM penstock_router.accesses
        WHERE workspace = $1 AND ($2::bigint IS NULL OR id < $2) ORDER BY id DESC LIMIT $3`,
      [workspace, before ?? null, limit],
    );
    return rows.map(({ id, at_ms, actor, delivery, request_id }) => ({
      number: id,
      at: instant(new Date(at_ms)),
      key: actor,
      delivery,
      requestId: request_id,
    }));
  }
}
