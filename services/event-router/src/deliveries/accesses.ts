import { type AccessView, instant } from '@penstock/contracts';
import type { Pool } from 'pg';

interface AccessRow {
  readonly id: string;
  readonly at_ms: number;
  readonly actor: string;
  readonly delivery: string;
  readonly request_id: string;
}

/** The accesses to values of a workspace, which `WholeDeliveries` records. */
export class Accesses {
  constructor(private readonly pool: Pool) {}

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
