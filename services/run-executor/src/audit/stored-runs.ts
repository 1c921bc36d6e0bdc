import {
  type Instant,
  instant,
  type PipelineId,
  type RecordedRunFact,
  type RunFact,
  type RunId,
  type WorkspaceId,
} from '@penstock/contracts';
import type { FoldedRun } from './folded-run';

/** Reads rows of the executor's tables. */
export type ReadRows = <Row extends object>(
  text: string,
  values: readonly unknown[],
) => Promise<readonly Row[]>;

/** A fact as the executor has stored it. */
export interface StoredFact {
  /** In the order of the facts of each pipeline. */
  readonly id: number;
  readonly isPublished: boolean;
  /**
   * Of the fact that must be on the topic before it: the one before of its run, or the last one of the pipeline's run
   * before; `null`: there is none.
   */
  readonly previous: number | null;
  readonly recorded: RecordedRunFact;
}

/** A run as the executor has stored it. */
export interface StoredRun {
  readonly id: RunId;
  /** Number of its newest fact. */
  readonly facts: number;
  readonly image: FoldedRun;
}

/** The place of a fact. */
export interface FactPlace {
  readonly run: string;
  readonly number: number;
}

/** A fact may have a megabyte. */
const FACTS_PER_PAGE = 100;

/** The runs of a pipeline follow each other, but for replays of events. */
const FACT = `
SELECT f.id::float8 AS id, f.run, f.number, f.at, f.actor, f.type, f.data, f.published, r.pipeline, r.workspace,
       CASE WHEN f.number > 1 THEN
         (SELECT p.id::float8 FROM penstock_runs.facts p WHERE p.run = f.run AND p.number = f.number - 1)
       WHEN r.replay_mode IS NULL THEN
         (SELECT p.id::float8 FROM penstock_runs.facts p
           WHERE p.run = (SELECT b.id FROM penstock_runs.runs b
                           WHERE b.pipeline = r.pipeline AND b.id < r.id AND b.replay_mode IS NULL
                           ORDER BY b.id DESC LIMIT 1)
           ORDER BY p.number DESC LIMIT 1)
       END AS previous
  FROM penstock_runs.facts f JOIN penstock_runs.runs r ON r.id = f.run`;

const EXIST = `SELECT to_regclass('penstock_runs.facts') IS NOT NULL AS found`;

const PAGE = `${FACT} WHERE (f.run, f.number) > ($1, $2) ORDER BY f.run, f.number LIMIT ${String(FACTS_PER_PAGE)}`;

const AT = `${FACT} JOIN unnest($1::text[], $2::integer[]) AS wanted (run, number)
  ON f.run = wanted.run AND f.number = wanted.number`;

const IS_FORGOTTEN = `
SELECT EXISTS (SELECT FROM penstock_runs.past_counts
                WHERE pipeline = $1 AND day >= penstock_runs.day_of($2::timestamptz)) AS found`;

const PLACES =
  'SELECT run, number FROM penstock_runs.facts WHERE id = ANY ($1::bigint[]) ORDER BY id';

const RUNS = `
SELECT id, facts, workspace, pipeline, connection, pipeline_name AS "pipelineName",
       pipeline_version AS "pipelineVersion", trigger, replay_mode AS "replayMode", incremental,
       starting_cursor AS "startingCursor", requested, status, ended, passed::float8[] AS passed,
       failed::float8[] AS failed, error, attempt, purged::float8 AS purged, warnings, cancel, sequence, position,
       cursor, duplicates::float8 AS duplicates, without_id::float8 AS "withoutId"
  FROM penstock_runs.runs WHERE id = ANY ($1::text[])`;

const WITHOUT_FACTS = `
SELECT id FROM penstock_runs.runs r
 WHERE id > $1 AND NOT EXISTS (SELECT FROM penstock_runs.facts f WHERE f.run = r.id) ORDER BY id LIMIT 1000`;

interface FactRow extends FactPlace {
  readonly id: number;
  readonly at: Date;
  readonly actor: string;
  readonly type: RunFact['type'];
  readonly data: string;
  readonly published: boolean;
  readonly pipeline: PipelineId;
  readonly workspace: WorkspaceId;
  readonly previous: number | null;
}

interface RunRow extends Omit<FoldedRun, 'startTime' | 'endTime' | 'position'> {
  readonly id: RunId;
  readonly facts: number;
  readonly requested: Date;
  readonly ended: Date | null;
  readonly position: string;
}

const storedFact = (row: FactRow): StoredFact => ({
  id: row.id,
  isPublished: row.published,
  previous: row.previous,
  recorded: {
    ...{ run: row.run as RunId, pipeline: row.pipeline, workspace: row.workspace },
    ...{ number: row.number, time: instant(row.at), actor: row.actor },
    fact: { type: row.type, data: JSON.parse(row.data) as object } as RunFact,
  },
});

const storedRun = ({ id, facts, requested, ended, position, ...row }: RunRow): StoredRun => ({
  id,
  facts,
  image: {
    ...row,
    startTime: instant(requested),
    endTime: ended === null ? null : instant(ended),
    position: JSON.parse(position) as FoldedRun['position'],
  },
});

/** Reads runs and their facts, in pages of bounded memory. */
export class StoredRuns {
  constructor(private readonly read: ReadRows) {}

  /** Whether there are tables of runs: no executor has started before that. */
  async exist(): Promise<boolean> {
    const [row] = await this.read<{ found: boolean }>(EXIST, []);
    return row?.found === true;
  }

  /** All facts, in order for each run. */
  async *pages(): AsyncGenerator<readonly StoredFact[]> {
    let last: FactPlace = { run: '', number: 0 };
    for (;;) {
      const rows = await this.read<FactRow>(PAGE, [last.run, last.number]);
      const end = rows.at(-1);
      if (end === undefined) return;
      yield rows.map(storedFact);
      last = end;
    }
  }

  /** The facts that are at these places. */
  async at(places: readonly FactPlace[]): Promise<readonly StoredFact[]> {
    const runs = places.map(({ run }) => run);
    const numbers = places.map(({ number }) => number);
    return (await this.read<FactRow>(AT, [runs, numbers])).map(storedFact);
  }

  /** Where the facts of these ids are. */
  places(ids: readonly number[]): Promise<readonly FactPlace[]> {
    return this.read<FactPlace>(PLACES, [ids]);
  }

  /** Whether runs of the pipeline were deleted after their retention that ended on this day, or later. */
  async isForgotten(pipeline: PipelineId, day: Instant): Promise<boolean> {
    const [row] = await this.read<{ found: boolean }>(IS_FORGOTTEN, [pipeline, day]);
    return row?.found === true;
  }

  /** These runs, as far as they are there, by their ids. */
  async runs(ids: readonly string[]): Promise<ReadonlyMap<string, StoredRun>> {
    const rows = await this.read<RunRow>(RUNS, [ids]);
    return new Map(rows.map((row) => [row.id, storedRun(row)]));
  }

  /** Ids of runs that have no fact. */
  async *withoutFacts(): AsyncGenerator<string> {
    let last = '';
    for (;;) {
      const rows = await this.read<{ id: string }>(WITHOUT_FACTS, [last]);
      for (const { id } of rows) yield id;
      const end = rows.at(-1);
      if (end === undefined) return;
      last = end.id;
    }
  }
}
