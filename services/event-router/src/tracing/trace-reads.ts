import type { Pool } from 'pg';
import { Database } from '../store/postgres/sql/database';
import { eventTrail, type EventTrail } from './event-trail';
import type { EventPlace } from './event-place';
import { type EventProgress, eventProgress } from './event-progress';
import { messageHash, messageHashPrefix } from '../routing/incoming-event';

/** The first event of a message id and order key. */
export interface FirstEvent extends EventPlace {
  /** 32 hexadecimal digits. */
  readonly hash: string;
}

/** A later event with the same id and order key. */
export interface LaterEvent extends EventPlace {
  readonly differs: boolean;
  /** Milliseconds since 1970. */
  readonly atMs: number;
}

/** What routers have recorded about one event. */
export interface EventRecords {
  readonly trail: EventTrail;
  readonly progress: EventProgress;
}

interface FirstRow {
  readonly hash: string;
  readonly partition: number;
  readonly offset: string;
}

interface LaterRow {
  readonly partition: number;
  readonly offset: string;
  readonly differs: boolean;
  readonly at_ms: number;
}

/** A partition that no router has had has no row; one that is empty needs none. */
const BEHIND = `
SELECT EXISTS (SELECT FROM unnest($1::bigint[]) WITH ORDINALITY AS log (ending, number)
                 LEFT JOIN penstock_router.partitions p ON p.partition = log.number - 1
                WHERE log.ending > coalesce(p.routed, 0)) AS behind`;

const HASH_DIGITS = 32;

/** Most events of one message id, from different sources or anonymous ids, that are looked at: the newest. */
const MAX_FIRSTS = 20;
/** Most duplicates of an event in an answer: the oldest. */
const MAX_LATER = 100;

/** Reads what routers have recorded about events. Its work is bounded through indexes, whatever is stored. */
export class TraceReads {
  private readonly database: Database;

  /** @param windowHours hours for which message ids are kept. */
  constructor(
    pool: Pool,
    private readonly windowHours: number,
  ) {
    this.database = new Database(pool);
  }

  /**
   * The events of a message id within the duplicate window, of any workspace, the newest first.
   *
   * @param orderKey only the event with this key, however many others share its id; undefined: the key is not known.
   */
  async firsts(messageId: string, orderKey?: string): Promise<readonly FirstEvent[]> {
    const known =
      orderKey === undefined ? messageHashPrefix(messageId) : messageHash(orderKey, messageId);
    const [from, to] = ['0', 'f'].map((digit) => known.padEnd(HASH_DIGITS, digit));
    const rows = await this.database.rows<FirstRow>(
      `SELECT replace(hash::text, '-', '') AS hash, partition, "offset"
         FROM penstock_router.firsts($1, $2, floor(extract(epoch FROM now()) / 3600)::int - $3::int, $4)`,
      [from, to, Math.ceil(this.windowHours), MAX_FIRSTS],
    );
    return rows.map((row) => ({ ...row, offset: Number(row.offset) }));
  }

  /** Whether routers have recorded the ids of all events before these offsets, by partition. */
  async areRecorded(ends: readonly number[]): Promise<boolean> {
    const rows = await this.database.rows<{ behind: boolean }>(BEHIND, [ends]);
    return rows[0]?.behind === false;
  }

  /** Later events with the hash of the first one, in the order of the log. */
  async later(hash: string): Promise<readonly LaterEvent[]> {
    const rows = await this.database.rows<LaterRow>(
      `SELECT partition, "offset", differs, (extract(epoch FROM at) * 1000)::float8 AS at_ms
         FROM penstock_router.duplicates WHERE hash = $1 ORDER BY hash, "offset" LIMIT ${MAX_LATER}`,
      [hash],
    );
    return rows.map(({ at_ms, offset, ...row }) => ({
      ...row,
      offset: Number(offset),
      atMs: at_ms,
    }));
  }

  /** What became of an event, from one snapshot. @param orderKeys under which its lanes may deliver it in order. */
  records(place: EventPlace, orderKeys: readonly string[]): Promise<EventRecords> {
    return this.database.snapshot(async (db) => ({
      trail: await eventTrail(db, place),
      progress: await eventProgress(db, place, orderKeys),
    }));
  }
}
