import type { ConfigurationReplica, Suppressions, WorkspaceId } from '@penstock/contracts';
import type { Pool } from 'pg';
import { ErasureTurns } from '../outcomes/erasure-turns';

/** A table of examples that are about users. */
type ExamplesTable = 'replay_differences' | 'replay_failures';

/** The key of an example. */
interface Key {
  readonly job: string;
  readonly partition: number;
  readonly offset: string;
}

interface UserRow extends Key {
  readonly workspace: WorkspaceId;
  readonly user_id: string | null;
  readonly previous_id: string | null;
}

const PAGE = 1_000;

/** Users of examples after a key, in the order of the keys. */
const usersIn = (table: ExamplesTable): string => `
SELECT d.job, d.partition, d."offset", j.workspace, d.user_id, d.previous_id
  FROM penstock_router.${table} d JOIN penstock_router.jobs j ON j.id = d.job
 WHERE (d.job, d.partition, d."offset") > ($1, $2, $3)
 ORDER BY d.job, d.partition, d."offset" LIMIT $4`;

const eraseFrom = (table: ExamplesTable): string => `
DELETE FROM penstock_router.${table} d
 USING unnest($1::text[], $2::int[], $3::bigint[]) AS e (job, partition, "offset")
 WHERE d.job = e.job AND d.partition = e.partition AND d."offset" = e."offset"`;

/** Erases the examples of replays that are about suppressed users. The numbers stay, which name nobody. */
export class ExampleErasure {
  private readonly turns: ErasureTurns;

  /** @param settledMs time after which no request is under way any more that was begun before a suppression. */
  constructor(
    private readonly pool: Pool,
    private readonly table: ExamplesTable,
    replica: ConfigurationReplica,
    private readonly suppressions: Suppressions,
    settledMs: number,
  ) {
    const suppressedFrom = (): number => replica.suppressedFrom;
    const times = { suppressedFrom, nowMs: () => performance.now(), settledMs };
    this.turns = new ErasureTurns(times, () => this.eraseAll());
  }

  /** Looks at all examples after each change of suppressions, and once more later. Rejects without the database. */
  run(): Promise<void> {
    return this.turns.run();
  }

  private async eraseAll(): Promise<void> {
    let after: Key | undefined = { job: '', partition: -1, offset: '0' };
    while (after !== undefined) after = await this.erasePage(after);
  }

  private async erasePage({ job, partition, offset }: Key): Promise<Key | undefined> {
    const { rows } = await this.pool.query<UserRow>(usersIn(this.table), [
      job,
      partition,
      offset,
      PAGE,
    ]);
    const erased = rows.filter(({ workspace, user_id, previous_id }) =>
      this.suppressions.includes(workspace, user_id ?? undefined, previous_id ?? undefined),
    );
    if (erased.length > 0)
      await this.pool.query(eraseFrom(this.table), [
        erased.map((row) => row.job),
        erased.map((row) => row.partition),
        erased.map((row) => row.offset),
      ]);
    return rows.at(-1);
  }
}
