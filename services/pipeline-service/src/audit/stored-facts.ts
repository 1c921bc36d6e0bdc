import { type ConfigurationState, PUBLISHED_PIPELINE_VERSIONS } from '@penstock/contracts';
import type { Hashed } from '@penstock/event-sourcing';
import type { EntityManager } from 'typeorm';

/** A stored fact without its state. */
export interface StoredFact extends Hashed {
  readonly hash: string;
  /** {@link Hashed.time}, or that of an earlier fact where it is later. */
  readonly effectiveTime: string;
  /** JSON text. */
  readonly data: string;
}

/** A fact with its neighbours in its stream. */
export interface FactInStream extends StoredFact {
  readonly state: ConfigurationState;
  /** State after the preceding fact of the stream; `null` for the first. */
  readonly before: ConfigurationState | null;
  /** Number of later facts of its stream, up to {@link MAX_LATER}. */
  readonly later: number;
}

const FACTS_PER_PAGE = 200;
/** Bytes of data and states of a page; the states of the preceding facts are not counted. */
const BYTES_PER_PAGE = 3_000_000;

/** Bounds the count: more later facts make no difference. */
const MAX_LATER = PUBLISHED_PIPELINE_VERSIONS;

const COLUMNS = `
  fact.position::text AS position, fact.owner, fact.stream, fact.version, fact.type,
  fact.schema_version AS "schemaVersion", fact.time, coalesce(fact.effective_time, fact.time) AS "effectiveTime",
  fact.actor, fact.request_id AS "requestId", fact.causation, fact.hash, fact.data::text AS data`;

const IN_STREAM = `
  SELECT ${COLUMNS}, fact.state, before.state AS before, later.count::int AS later
  FROM penstock.facts fact
  LEFT JOIN penstock.facts before ON before.stream = fact.stream AND before.version = fact.version - 1
  CROSS JOIN LATERAL (
    SELECT count(*) AS count FROM penstock.facts behind
    WHERE behind.stream = fact.stream AND behind.version > fact.version
      AND behind.version <= fact.version + ${String(MAX_LATER)} AND behind.position <= $2) later`;

/** The positions of facts whose object, or the object whose health it is, was deleted so long ago that the compacted topic may no longer hold it. */
const FORGOTTEN = `
  SELECT fact.position FROM penstock.facts fact
  WHERE fact.position = ANY ($1) AND EXISTS (
    SELECT FROM penstock.facts deletion
    WHERE deletion.stream = ANY (CASE WHEN fact.stream LIKE 'health-%'
            THEN ARRAY['connection-' || substr(fact.stream, 8), 'pipeline-' || substr(fact.stream, 8)]
            ELSE ARRAY[fact.stream] END)
      AND deletion.type IN ('PipelineDeleted', 'ConnectionDeleted', 'AlertDeleted')
      AND deletion.position <= (SELECT position FROM penstock.forgotten))`;

/** The positions of a page: as many as fit, at least one. */
const PAGE = `
  SELECT position FROM (
    SELECT position, row_number() OVER upwards AS nth,
           sum(octet_length(state::text) + octet_length(data::text)) OVER upwards AS bytes
    FROM (SELECT position, state, data FROM penstock.facts
          WHERE position > $1 AND position <= $2 ORDER BY position LIMIT ${String(FACTS_PER_PAGE)}) ahead
    WINDOW upwards AS (ORDER BY position)) sized
  WHERE nth = 1 OR bytes <= ${String(BYTES_PER_PAGE)}`;

type Row<Fact> = Omit<Fact, 'position'> & { readonly position: string };

/** The facts up to a position, read in pages of bounded memory. */
export class StoredFacts {
  constructor(
    private readonly db: EntityManager,
    readonly last: number,
  ) {}

  /** All facts in order. */
  async *pages(): AsyncGenerator<readonly FactInStream[]> {
    for (let after = 0; ;) {
      const page = await this.find<FactInStream>(
        `${IN_STREAM} WHERE fact.position IN (${PAGE}) ORDER BY fact.position`,
        [after, this.last],
      );
      if (page.length === 0) return;
      yield page;
      after = page.at(-1)?.position ?? after;
    }
  }

  /** The facts at the positions, by position; missing ones are left out. */
  async at(positions: readonly number[]): Promise<ReadonlyMap<number, StoredFact>> {
    const facts = await this.find<StoredFact>(
      `SELECT ${COLUMNS} FROM penstock.facts fact WHERE fact.position = ANY ($1) AND fact.position <= $2`,
      [positions, this.last],
    );
    return new Map(facts.map((fact) => [fact.position, fact]));
  }

  /** The states after the facts at the positions, by position. */
  async statesAt(positions: readonly number[]): Promise<ReadonlyMap<number, ConfigurationState>> {
    const facts = await this.find<{ position: number; state: ConfigurationState }>(
      `SELECT fact.position, fact.state FROM penstock.facts fact
       WHERE fact.position = ANY ($1) AND fact.position <= $2`,
      [positions, this.last],
    );
    return new Map(facts.map(({ position, state }) => [position, state]));
  }

  /** The positions whose states the compacted topic need not hold any more. */
  async forgotten(positions: readonly number[]): Promise<ReadonlySet<number>> {
    const rows = await this.db.query<{ position: string }[]>(FORGOTTEN, [positions]);
    return new Set(rows.map(({ position }) => Number(position)));
  }

  /**
   * Position of the newest fact of each key of the `configuration.state` topic, by key.
   *
   * @param keys `<kind>:<id>`, of pipelines with `@<version>`.
   */
  async newestOf(keys: readonly string[]): Promise<ReadonlyMap<string, number>> {
    const parts = keys.map((key) => /^([^:]*):(.*?)(?:@(\d+))?$/s.exec(key));
    const rows = await this.db.query<{ key: string; position: string }[]>(
      `SELECT wanted.key, newest.position
       FROM unnest($1::text[], $2::text[], $3::text[]) AS wanted (key, stream, version)
       CROSS JOIN LATERAL (
         SELECT position FROM penstock.facts
         WHERE stream = wanted.stream AND position <= $4
           AND (wanted.version IS NULL OR state->>'version' = wanted.version)
         ORDER BY position DESC LIMIT 1) newest`,
      [
        keys,
        parts.map((part) => `${part?.[1] ?? ''}-${part?.[2] ?? ''}`),
        parts.map((part) => part?.[3] ?? null),
        this.last,
      ],
    );
    return new Map(rows.map(({ key, position }) => [key, Number(position)]));
  }

  private async find<Fact extends { readonly position: number }>(
    text: string,
    values: readonly unknown[],
  ): Promise<Fact[]> {
    const rows = await this.db.query<Row<Fact>[]>(text, [...values]);
    return rows.map((row) => ({ ...row, position: Number(row.position) }) as unknown as Fact);
  }
}
