import type { ChainHead, Instant } from '@penstock/contracts';
import type { EntityManager } from 'typeorm';
import type { StoredFact } from './event-store';

/** Conditions on facts; every member that is present narrows the search. */
export interface FactFilter {
  readonly owners: readonly string[];
  /** Id of an object: finds its history. */
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

/** The effective times of facts are in the order of their positions, and none is before the time of its fact. */
const FIRST_FROM = `
  coalesce((SELECT position FROM penstock.facts WHERE coalesce(effective_time, time) COLLATE "C" >= $
            ORDER BY coalesce(effective_time, time) COLLATE "C", position LIMIT 1), 9223372036854775807)`;

const CONDITIONS = {
  object: `substr(fact.stream, strpos(fact.stream, '-') + 1) = $`,
  type: 'fact.type = $',
  actor: 'fact.actor = $',
  requestId: 'fact.request_id = $',
  from: `fact.time >= $ AND fact.position >= ${FIRST_FROM}`,
  to: 'fact.time < $',
  before: 'fact.position < $',
} as const satisfies Record<Exclude<keyof FactFilter, 'owners'>, string>;

/** SQL of the newest facts that meet conditions. */
const newestWith = (conditions: readonly string[]): string => `
  SELECT fact.position FROM penstock.facts fact WHERE ${conditions.join(' AND ')}
  ORDER BY fact.position DESC LIMIT $2`;

/** Those of each owner are found along an index; what is of one object, or of one request, has one anyway. */
const newestOfAll = (conditions: readonly string[], isOfOne: boolean): string =>
  isOfOne
    ? newestWith(['fact.owner = ANY ($1)', ...conditions])
    : `SELECT each.position FROM unnest($1::text[]) AS asked (owner)
       CROSS JOIN LATERAL (${newestWith(['fact.owner = asked.owner', ...conditions])}) AS each
       ORDER BY each.position DESC LIMIT $2`;

/** Only what is wanted in the end is read. */
const factsAt = (positions: string): string => `
  SELECT fact.position, fact.stream, fact.version, fact.type, fact.time, fact.actor,
         fact.request_id AS "requestId", fact.causation, fact.owner, fact.hash, fact.state, earlier.state AS before
  FROM (${positions}) AS newest
  JOIN penstock.facts fact ON fact.position = newest.position
  LEFT JOIN penstock.facts earlier ON earlier.stream = fact.stream AND earlier.version = fact.version - 1
  ORDER BY fact.position DESC`;

/**
 * Times are closed by the clock that facts are recorded by. Once that is set back, the times that are closed already
 * are past as before.
 */
const IS_PAST = `
  SELECT $1::timestamptz <= clock_timestamp() - interval '1 second'
      OR (clock_timestamp() < head.time AND $1::timestamptz < head.time) AS "isPast"
  FROM penstock.head`;

/**
 * Waits for running appends. Moves the head's time past this one, so that no later fact has an effective time at or
 * before it.
 */
const CLOSE = `
  UPDATE penstock.head SET time = $1::timestamptz + interval '1 millisecond' WHERE time <= $1::timestamptz`;

const POSITION_AT = `
  SELECT coalesce(
    (SELECT position - 1 FROM penstock.facts WHERE coalesce(effective_time, time) COLLATE "C" > $1
     ORDER BY coalesce(effective_time, time) COLLATE "C", position LIMIT 1),
    (SELECT position FROM penstock.head)) AS position`;

const IN_ORDER = `
  SELECT position, stream, version, type, time, actor, data FROM penstock.facts
  WHERE substr(stream, strpos(stream, '-') + 1) = $1 AND position > $2 AND owner = $3 AND type = ANY ($4)
  ORDER BY position LIMIT $5`;

const STATES_OF = `
  SELECT position, state FROM penstock.facts
  WHERE stream = $1 AND position < $3 AND position >= coalesce(
    (SELECT position FROM penstock.facts WHERE stream = $1 AND position <= $2 ORDER BY position DESC LIMIT 1), 0)
  ORDER BY position LIMIT $4`;

/** Runs one index lookup for each stream. */
const STATES_AT = `
  SELECT newest.state
  FROM unnest($1::text[]) WITH ORDINALITY AS asked (stream, nth)
  CROSS JOIN LATERAL (
    SELECT state FROM penstock.facts
    WHERE stream = asked.stream AND position <= $2 ORDER BY position DESC LIMIT 1) newest
  ORDER BY asked.nth`;

type FoundRow = Omit<HistoricalFact, 'position'> & { readonly position: string };

/** A range of positions: `from` inclusive, `to` exclusive. `limit`: maximal number of states, oldest first. */
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

/** Which facts of an object are read in their order. */
export interface OrderedFacts {
  /** Id of the object. */
  readonly object: string;
  readonly owner: string;
  readonly types: readonly string[];
  /** Above this position. */
  readonly after: number;
  readonly limit: number;
}

/** A fact as it was recorded. */
export type OrderedFact = Pick<
  StoredFact,
  'position' | 'stream' | 'version' | 'type' | 'time' | 'actor' | 'data'
>;

/** PostgreSQL texts cannot contain NUL: nothing matches such a value. */
const canBeFound = (value: unknown): boolean => typeof value !== 'string' || !value.includes('\0');

/** Reads the recorded facts for the audit. Only {@link positionAt} writes: it may close a moment. */
export class FactHistory {
  constructor(private readonly db: EntityManager) {}

  /** Finds facts, newest first. */
  async find({ owners, ...filter }: FactFilter, limit: number): Promise<readonly HistoricalFact[]> {
    const given = Object.entries(filter).filter(([, value]) => value !== undefined);
    const values = given.map(([, value]) => value as unknown);
    if (!values.every(canBeFound)) return [];
    const conditions = given.map(([name], index) =>
      CONDITIONS[name as keyof typeof CONDITIONS].replaceAll('$', `$${String(index + 3)}`),
    );
    const wanted = [...new Set(owners)].filter(canBeFound);
    const isOfOne = filter.object !== undefined || filter.requestId !== undefined;
    const text = factsAt(newestOfAll(conditions, isOfOne));
    const rows = await this.db.query<FoundRow[]>(text, [wanted, limit, ...values]);
    return rows.map((row) => ({ ...row, position: Number(row.position) }));
  }

  /** Reads facts of an object, oldest first. */
  async inOrder({ object, owner, types, after, limit }: OrderedFacts): Promise<OrderedFact[]> {
    if (![object, owner].every(canBeFound)) return [];
    const values = [object, after, owner, types, limit];
    const rows = await this.db.query<(Omit<OrderedFact, 'position'> & { position: string })[]>(
      IN_ORDER,
      values,
    );
    return rows.map((row) => ({ ...row, position: Number(row.position) }));
  }

  /**
   * Finds the position of the newest fact at a moment. The result for one moment never changes, since no later fact is
   * recorded as of it.
   *
   * @returns the position; undefined for a moment less than a second before now by the clock that facts are recorded
   *   by.
   */
  async positionAt(at: Instant): Promise<number | undefined> {
    const [clock] = await this.db.query<{ isPast: boolean }[]>(IS_PAST, [at]);
    if (clock?.isPast !== true) return undefined;
    await this.db.query(CLOSE, [at]);
    const [newest] = await this.db.query<{ position: string }[]>(POSITION_AT, [at]);
    return Number(newest?.position ?? 0);
  }

  /**
   * Returns the states of the streams as of a position, in the order of the names; streams without a fact by then are
   * left out.
   */
  async statesAt(streams: readonly string[], position: number): Promise<readonly object[]> {
    const rows = await this.db.query<{ state: object }[]>(STATES_AT, [
      streams.filter(canBeFound),
      position,
    ]);
    return rows.map(({ state }) => state);
  }

  /** Returns the newest position and hash of each chain, by owner. @param owners default: all. */
  async chainHeads(owners?: readonly string[]): Promise<ReadonlyMap<string, ChainHead>> {
    const rows = await this.db.query<{ owner: string; position: string; hash: string }[]>(
      'SELECT owner, position, hash FROM penstock.chains WHERE $1::text[] IS NULL OR owner = ANY ($1)',
      [owners?.filter(canBeFound) ?? null],
    );
    return new Map(
      rows.map(({ owner, position, hash }) => [owner, { position: Number(position), hash }]),
    );
  }

  /** Returns the state of an object in a version; undefined when it never had this version. */
  async stateOf(stream: string, version: number): Promise<object | undefined> {
    if (!canBeFound(stream)) return undefined;
    const [found] = await this.db.query<{ state: object }[]>(
      'SELECT state FROM penstock.facts WHERE stream = $1 AND version = $2',
      [stream, version],
    );
    return found?.state;
  }

  /**
   * Returns every state of one object that held at one of the positions; the first may have been recorded before them.
   */
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
