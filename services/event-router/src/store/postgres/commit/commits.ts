import type { PoolClient } from 'pg';
import type { PartitionChanges } from '../../changes';
import { CommitsMissing } from '../../router-store';
import { cleanChanges } from '../../clean-changes';
import { containedAudiences, missingAudience } from '../../referred-audiences';
import { Audiences } from './audiences';
import type { Database } from '../sql/database';
import { asCommitError, isMissingSlice } from '../sql/sqlstate';
import { ADVANCE, advanceValues } from './advance';
import { ofPartitions } from './of-partitions';
import { postponeDeliveries, settleDeliveries } from './settle-deliveries';
import { storeDeliveries } from './store-deliveries';
import { writeRedrives } from './write-redrives';
import { writeReplays } from './write-replays';
import { dropCursors, writeCursors, writeRepeats, writeUnreadable } from './write-lists';

/** Of a commit, while audiences are missing that it refers to. */
const ATTEMPTS = 5;

/** The state of a partition before the commit. */
interface FoundRow {
  readonly partition: number;
  readonly epoch: string;
  readonly sequence: string;
  /** Ids of the audiences that must be written first; the same of all rows. */
  readonly missing: readonly string[];
}

/** Nothing of a commit was written, since audiences are missing that its counts refer to. */
class MissingAudiences extends Error {
  override readonly name = 'MissingAudiences';
  constructor(readonly ids: readonly [string, ...string[]]) {
    super(`${String(ids.length)} audiences are missing`);
  }
}

interface Found {
  /** Changes that were applied: it was the partition's next commit. */
  readonly advanced: readonly PartitionChanges[];
  /** Partitions that have another owner. */
  readonly lost: readonly number[];
}

/**
 * Compares the commit with the partitions' states.
 *
 * @throws CommitsMissing
 * @throws MissingAudiences
 */
const compare = (changes: readonly PartitionChanges[], rows: readonly FoundRow[]): Found => {
  const [id, ...others] = rows[0]?.missing ?? [];
  if (id !== undefined) throw new MissingAudiences([id, ...others]);
  const found = new Map(rows.map((row) => [row.partition, row]));
  const advanced: PartitionChanges[] = [];
  const lost: number[] = [];
  for (const each of changes) {
    const row = found.get(each.partition);
    if (row === undefined) throw new CommitsMissing(each.partition, each.sequence, undefined);
    const last = Number(row.sequence);
    if (Number(row.epoch) !== each.epoch) lost.push(each.partition);
    else if (last === each.sequence - 1) advanced.push(each);
    else if (last !== each.sequence) throw new CommitsMissing(each.partition, each.sequence, last);
  }
  return { advanced, lost };
};

const WITH_ROWS = [
  'stored',
  'postponed',
  'settled',
  'redriven',
  'redriveTried',
  'redrivesStopped',
  'replayed',
  'cursors',
  'droppedCursors',
  'repeats',
  'unreadable',
] as const satisfies readonly (keyof PartitionChanges)[];

const isPlain = (changes: PartitionChanges): boolean =>
  WITH_ROWS.every((name) => changes[name].length === 0);

const writeRows = async (db: PoolClient, changes: readonly PartitionChanges[]): Promise<void> => {
  await storeDeliveries(
    db,
    ofPartitions(changes, ({ stored }) => stored),
  );
  await postponeDeliveries(
    db,
    ofPartitions(changes, ({ postponed }) => postponed),
  );
  await settleDeliveries(
    db,
    ofPartitions(changes, ({ settled }) => settled),
  );
  await writeRedrives(db, changes);
  await writeReplays(db, changes);
  await writeCursors(
    db,
    ofPartitions(changes, ({ cursors }) => cursors),
  );
  await dropCursors(
    db,
    ofPartitions(changes, ({ droppedCursors }) => droppedCursors),
  );
  await writeRepeats(
    db,
    ofPartitions(changes, ({ repeats, repeatsFrom }) =>
      repeats.filter(({ offset }) => offset >= repeatsFrom),
    ),
  );
  await writeUnreadable(
    db,
    ofPartitions(changes, ({ unreadable }) => unreadable),
  );
};

/** Writes commits: with one statement when they have no rows of other tables, else with several in a transaction. */
export class Commits {
  private readonly audiences: Audiences;

  /** @param makeSlices creates the slices of the current hour and day. */
  constructor(
    private readonly database: Database,
    private readonly makeSlices: () => Promise<void>,
  ) {
    this.audiences = new Audiences(database);
  }

  /**
   * @returns the partitions that have another owner.
   * @throws CommitRefused
   * @throws CommitsMissing
   */
  async commit(changes: readonly PartitionChanges[]): Promise<readonly number[]> {
    if (changes.length === 0) return [];
    const clean = changes.map(cleanChanges);
    try {
      return await this.writeWithSlices(clean);
    } catch (error) {
      throw asCommitError(error);
    }
  }

  /** Creates missing slices and retries: the process may have been suspended longer than slices are created ahead. */
  private async writeWithSlices(changes: readonly PartitionChanges[]): Promise<readonly number[]> {
    try {
      return await this.writeWithAudiences(changes);
    } catch (error) {
      if (!isMissingSlice(error)) throw error;
      await this.makeSlices();
      return this.writeWithAudiences(changes);
    }
  }

  /**
   * Writes missing audiences and retries. They are written before, in a transaction of their own: a transaction that waits
   * for others to write the same ones has locked nothing else. Others may be removed meanwhile.
   */
  private async writeWithAudiences(
    changes: readonly PartitionChanges[],
  ): Promise<readonly number[]> {
    for (let attempt = 1; ; attempt += 1)
      try {
        return await this.write(changes);
      } catch (error) {
        if (!(error instanceof MissingAudiences) || attempt === ATTEMPTS) throw error;
        await this.writeMissing(error.ids, changes);
      }
  }

  private async writeMissing(
    ids: readonly string[],
    changes: readonly PartitionChanges[],
  ): Promise<void> {
    const contained = containedAudiences(changes);
    await this.audiences.write(
      ids.map((id) => {
        const audience = contained.get(id);
        if (audience === undefined) throw missingAudience(id);
        return audience;
      }),
    );
  }

  private async write(changes: readonly PartitionChanges[]): Promise<readonly number[]> {
    const values = advanceValues(changes);
    if (changes.every(isPlain))
      return compare(changes, await this.database.rows<FoundRow>(ADVANCE, values)).lost;
    return this.database.transaction(async (db) => {
      const { rows } = await db.query<FoundRow>(ADVANCE, values);
      const { advanced, lost } = compare(changes, rows);
      await writeRows(db, advanced);
      return lost;
    });
  }
}
