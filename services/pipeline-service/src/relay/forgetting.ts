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
 * Facts are in the order of their effective times. The clock is that which they are recorded by. The newest fact stays, by
 * which replicas know how far the configuration has come.
 */
const OLD_FACTS = `
  SELECT ahead.position::float8 AS position, ahead.stream, ahead.version,
         ahead.type IN ('PipelineDeleted', 'ConnectionDeleted') AS "isDeletion",
         CASE WHEN ahead.stream LIKE 'pipeline-%' THEN
           (SELECT max(version) FROM penstock.facts WHERE stream = ahead.stream) ELSE ahead.version END AS newest
  FROM (SELECT position, stream, version, type, coalesce(effective_time, time) AS time FROM penstock.facts
        WHERE position > (SELECT position FROM penstock.forgotten) ORDER BY position LIMIT ${String(FACTS_A_PAGE)}) ahead
  WHERE ahead.time::timestamptz < clock_timestamp() - $1 * interval '1 millisecond'
    AND ahead.position < (SELECT position FROM penstock.head)
  ORDER BY ahead.position`;

/** What leaves the compacted topic, and how far that goes. */
export interface Forgotten {
  readonly messages: readonly NewMessage[];
  readonly upTo: number;
  /** Whether there may be more. */
  readonly isFull: boolean;
}

const range = (from: number, to: number): number[] =>
  Array.from({ length: Math.max(0, to - from + 1) }, (_, index) => from + index);

/** The keys of a deleted object: of pipelines those of the versions that are still there. */
const keysOfDeleted = ({ stream, version }: OldFact): string[] => {
  const [kind = '', id = ''] = stream.split(/-(.*)/s);
  if (kind !== 'pipeline') return [`${kind}:${id}`];
  const oldest = Math.max(1, version - PUBLISHED_PIPELINE_VERSIONS + 1);
  return range(oldest, version).map((each) => pipelineKey(id as PipelineId, each));
};

const isSuperseded = ({ stream, version, newest }: OldFact): boolean =>
  stream.startsWith('pipeline-') && version <= newest - PUBLISHED_PIPELINE_VERSIONS;

/**
 * Finds what the compacted topic need not hold any more: pipelines and connections that were deleted so long ago that no event
 * and no delivery can name them, and versions that were superseded before their deletion went with the next one.
 * Neither can come back, so that saying it twice, or late, does no harm.
 */
export class Forgetting {
  /** @param keptMs how long something is kept once it is deleted: longer than events are. */
  constructor(
    private readonly db: EntityManager,
    private readonly keptMs: number,
  ) {}

  /** The next page. */
  async next(): Promise<Forgotten> {
    const facts = await this.db.query<OldFact[]>(OLD_FACTS, [this.keptMs]);
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
