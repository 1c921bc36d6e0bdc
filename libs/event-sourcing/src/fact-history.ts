import type { Instant } from '@penstock/contracts';
import type { EntityManager } from 'typeorm';
import type { StoredFact } from './event-store';

/** What is looked for; every member that is given narrows. */
export interface FactFilter {
  readonly owners: readonly string[];
  /** Id of an object: its history. */
  readonly object?: string | undefined;
  readonly type?: string | undefined;
  readonly actor?: string | undefined;
  readonly requestId?: string | undefined;
  /** At this time or later. */
  readonly from?: Instant | undefined;
  /** Before this time. */
  readonly to?: Instant | undefined;
  /** Below this position. */
  readonly before?: number | undefined;
}

/** A fact with the state of its object before and after it. */
export interface HistoricalFact extends Omit<StoredFact, 'data' | 'schemaVersion'> {
  /** `null` when the fact is the first of its object. */
  readonly before: object | null;
}

const CONDITIONS = {
  owners: 'fact.owner = ANY($)',
  object: `substr(fact.stream, strpos(fact.stream, '-') + 1) = $`,
  type: 'fact.type = $',
  actor: 'fact.actor = $',
  requestId: 'fact.request_id = $',
  from: 'fact.time >= $',
  to: 'fact.time < $',
  before: 'fact.position < $',
} as const satisfies Record<keyof FactFilter, string>;

const FOUND = `
  SELECT fact.position, fact.stream, fact.version, fact.type, fact.time, fact.actor,
         fact.request_id AS "requestId", fact.causation, fact.owner, fact.state, earlier.state AS before
  FROM penstock.facts fact
  LEFT JOIN penstock.facts earlier ON earlier.stream = fact.stream AND earlier.version = fact.version - 1`;

const POSITION_AT =
  'SELECT max(position) AS position FROM penstock.facts WHERE owner = $1 AND time <= $2';

/** Versions and positions of a stream rise together. */
const STATES_OF = `
  SELECT position, state FROM penstock.facts
  WHERE stream = $1 AND position < $3 AND version >= coalesce(
    (SELECT version FROM penstock.facts WHERE stream = $1 AND position <= $2 ORDER BY version DESC LIMIT 1), 0)
  ORDER BY version LIMIT $4`;

const NEWEST_UP_TO = `
  SELECT DISTINCT ON (stream) state FROM penstock.facts
  WHERE owner = $1 AND position <= $2 ORDER BY stream, version DESC`;

type FoundRow = Omit<HistoricalFact, 'position'> & { readonly position: string };

/** Positions from `from`, which is included, to `to`, which is not; `limit`: states at most, oldest first. */
export interface StatesWanted {
  readonly from: number;
  readonly to: number;
  readonly limit: number;
}

/** The state of an object from a position on. */
export interface HistoricalState {
  readonly position: number;
  readonly state: object;
}

/** PostgreSQL knows no NUL in texts, so that nothing is found by one. */
const canBeFound = (value: unknown): boolean => typeof value !== 'string' || !value.includes('\0');

/** Looks back at what was recorded: the audit. Reads only. */
export class FactHistory {
  constructor(private readonly db: EntityManager) {}

  /** Newest first. */
  async find(filter: FactFilter, limit: number): Promise<readonly HistoricalFact[]> {
    const given = Object.entries(filter).filter(([, value]) => value !== undefined);
    const values = given.map(([, value]) => value as unknown);
    if (!values.every(canBeFound)) return [];
    const conditions = given.map(([name], index) =>
      CONDITIONS[name as keyof FactFilter].replace('$', `$${String(index + 1)}`),
    );
    const rows = await this.db.query<FoundRow[]>(
      `${FOUND} WHERE ${conditions.join(' AND ')} ORDER BY fact.position DESC LIMIT ${String(limit)}`,
      values,
    );
    return rows.map((row) => ({ ...row, position: Number(row.position) }));
  }

  /**
   * The states of the owner's objects as they were at a moment, deleted ones included; none before its first fact.
   * The clocks that facts are stamped by may differ: all facts up to the newest of that time or before count.
   */
  async statesAt(owner: string, at: Instant): Promise<readonly object[]> {
    const [newest] = await this.db.query<{ position: string | null }[]>(POSITION_AT, [owner, at]);
    if (newest?.position == null) return [];
    const rows = await this.db.query<{ state: object }[]>(NEWEST_UP_TO, [owner, newest.position]);
    return rows.map(({ state }) => state);
  }

  /** Every state of one object that held at one of the positions; the first may be older than all of them. */
  async statesOf(
    stream: string,
    { from, to, limit }: StatesWanted,
  ): Promise<readonly HistoricalState[]> {
    if (from >= to || !canBeFound(stream)) return [];
    const rows = await this.db.query<{ position: string; state: object }[]>(STATES_OF, [
      stream,
      from,
      to,
      limit,
    ]);
    return rows.map(({ position, state }) => ({ position: Number(position), state }));
  }
}
