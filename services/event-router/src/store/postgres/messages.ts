import { UPGRADE_HOURS } from '../upgrade-hours';
import { plainArray } from './sql/columns';
import type { Database } from './sql/database';
import { TimeSlices } from './time-slices';

/**
 * The message ids of the duplicate window, in slices of a third of it: the current slice and the three before it cover
 * the window, and in the last two hours of a slice the next one, still empty, exists too. One query searches all
 * slices: a new id, the usual case, has to be looked up in each of them anyway.
 */
export class Messages {
  readonly slices: TimeSlices;
  /** Slices of the table that is kept for the same time. */
  readonly followed: readonly TimeSlices[];

  constructor(
    private readonly database: Database,
    private readonly windowHours: number,
  ) {
    const sliced = {
      unitSeconds: 3_600,
      width: Math.ceil(windowHours / 3),
      ahead: 2,
      kept: windowHours,
    };
    this.slices = new TimeSlices(database, { table: 'messages', ...sliced });
    this.followed = [new TimeSlices(database, { table: 'duplicates', ...sliced })];
  }

  /**
   * Reads whether ids of routers of the version before may be within the window.
   */
  async lookForFormer(): Promise<boolean> {
    const [row] = await this.database.rows<{ has: boolean }>(
      `SELECT since > now() - $1 * interval '1 hour' AS has FROM penstock_router.traced`,
      [this.windowHours + UPGRADE_HOURS],
    );
    return row?.has ?? false;
  }

  /** Body digests by hash (32 hexadecimal digits); of an id that was stored twice, the later one. */
  async seen(hashes: readonly string[]): Promise<ReadonlyMap<string, string>> {
    if (hashes.length === 0) return new Map();
    const rows = await this.database.rows<{ hash: string; digest: string }>(
      `SELECT replace(hash::text, '-', '') AS hash, digest
         FROM penstock_router.seen($1::uuid[], floor(extract(epoch FROM now()) / 3600)::int - $2::int)`,
      [plainArray(hashes), Math.ceil(this.windowHours)],
    );
    return new Map(rows.map(({ hash, digest }) => [hash, digest]));
  }
}
