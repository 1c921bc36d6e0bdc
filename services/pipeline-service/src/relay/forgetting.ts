import { pipelineKey, type PipelineId, PUBLISHED_PIPELINE_VERSIONS } from '@penstock/contracts';
import type { NewMessage } from '@penstock/messaging';
import type { EntityManager } from 'typeorm';

/** Facts of one page. */
const FACTS_A_PAGE = 1_000;

/** A fact that is old enough, and the newest one of its object. */
interface OldFact {
  readonly position: number;
  readonly stream: string;
  readonly version: number;
  readonly isDeletion: boolean;
  readonly newest: number;
}

/**
 * Facts are in the order of their effective times. The clock is that which they are recorded by. The newest fact on
 * the log stays, by which replicas know how far the configuration has come.
 */
const OLD_FACTS = `
  SELECT ahead.position::float8 AS position, ahead.stream, ahead.version,
         ahead.type IN ('PipelineDeleted', 'ConnectionDeleted', 'AlertDeleted') AS "isDeletion",
         CASE WHEN ahead.stream LIKE 'pipeline-%' THEN
           (SELECT max(version) FROM penstock.facts WHERE stream = ahead.stream) ELSE ahead.version END AS newest
  FROM (SELECT position, stream, version, type, coalesce(effective_time, time) AS time FROM penstock.facts
        WHERE position > (SELECT position FROM penstock.forgotten) ORDER BY position LIMIT ${String(FACTS_A_PAGE)}) ahead
  WHERE ahead.time::timestamptz < clock_timestamp() - $1 * interval '1 millisecond'
    AND ahead.position < $2
  ORDER BY ahead.position`;

/** What leaves the compacted topic, and how far that goes. */
export interface Forgotten {
  readonly messages: readonly NewMessage[];
  readonly upTo: number;
  /** Whether there may be more. */
  readonly isFull: boolean;
}

/**
 * The keys of a deleted object and of its health, of a pipeline those of its runs and of all its versions: one that stayed behind the
 * deleted state would bring the pipeline back.
 */
const keysOfDeleted = ({ stream, version }: OldFact): string[] => {
  const [kind = '', id = ''] = stream.split(/-(.*)/s);
  const health = `health:${id}`;
  if (kind !== 'pipeline') return [`${kind}:${id}`, health];
  const versions = Array.from({ length: version }, (_, index) => index + 1);
  return [...versions.map((each) => pipelineKey(id as PipelineId, each)), health, `runs:${id}`];
};

const isSuperseded = ({ stream, version, newest }: OldFact): boolean =>
  stream.startsWith('pipeline-') && version <= newest - PUBLISHED_PIPELINE_VERSIONS;

/**
 * Finds what the compacted topic need not hold any more: pipelines and connections that were deleted so long ago that
 * no event and no delivery can name them, alerts of which no notification waits, and versions that were superseded before their deletion went with the next
 * one. Neither can come back, so that publishing this twice, or late, does no harm.
 */
export class Forgetting {
  /** @param keptMs how long something is kept once it is deleted: longer than events are. */
  constructor(
    private readonly db: EntityManager,
    private readonly keptMs: number,
  ) {}

  /** Goes back to a position at most: what is published from there on is on the log again. */
  async restartAt(position: number): Promise<void> {
    await this.db.query(
      'UPDATE penstock.forgotten SET position = $1::bigint WHERE position > $1::bigint',
      [position],
    );
  }

  /** The next page. @param published the position up to which facts are on the log. */
  async next(published: number): Promise<Forgotten> {
    const facts = await this.db.query<OldFact[]>(OLD_FACTS, [this.keptMs, published]);
    const [state] = await this.db.query<{ position: string; versions_below: string }[]>(
      'SELECT position, versions_below FROM penstock.forgotten',
    );
    const keys = facts.flatMap((fact) => {
      if (fact.isDeletion) return keysOfDeleted(fact);
      if (fact.position > Number(state?.versions_below) || !isSuperseded(fact)) return [];
      return [pipelineKey(fact.stream.slice('pipeline-'.length) as PipelineId, fact.version)];
    });
    return {
      messages: keys.map((key) => ({ key, value: null })),
      upTo: facts.at(-1)?.position ?? Number(state?.position ?? 0),
      isFull: facts.length === FACTS_A_PAGE,
    };
  }

  /** Everything up to the position is published. */
  async done(upTo: number): Promise<void> {
    await this.db.query(
      'UPDATE penstock.forgotten SET position = $1::bigint WHERE position < $1::bigint',
      [upTo],
    );
  }
}
