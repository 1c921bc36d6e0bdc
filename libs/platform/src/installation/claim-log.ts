import { TOPIC } from '@penstock/contracts';
import {
  ForeignTopics,
  type MessageLog,
  type TopicSpec,
  UnclaimedTopics,
} from '@penstock/messaging';
import { CannotStart } from '@penstock/runtime';
import type { Pool } from 'pg';
import { InstallationRecord, type RecordedInstallation } from './installation-record';

/** What {@link claimLog} connects: an installation, by its database, and a log. */
export interface LogClaim {
  readonly record: InstallationRecord;
  readonly log: MessageLog;
  /** The topics to be made. */
  readonly topics: readonly TopicSpec[];
  /** Whether other installations may use the same brokers; a log in the database is the installation's. */
  readonly isShared: boolean;
  /** Whether the operator allows that the installation leaves the log it has used before. */
  readonly mayMove: boolean;
  /** Called before the first record of another log is used. */
  readonly onMove: (move: { readonly from: string; readonly to: string }) => void;
}

/** This process does not use the log of its installation, or the log is another installation's. */
export class WrongLog extends CannotStart {
  override readonly name = 'WrongLog';
}

const moved = ({ id, log: before = '' }: RecordedInstallation, now: string): WrongLog =>
  new WrongLog(
    `installation ${id} uses the log ${before}, and this process would use ${now}: what is on the first log would not ` +
      'be delivered. Set KAFKA_BROKERS and PENSTOCK_PREFIX as before; or, to leave that log for good, stop all services ' +
      'and set PENSTOCK_EVENTS_FROM for the first start with the other one',
  );

const refused = (error: unknown, { id }: RecordedInstallation): unknown => {
  if (error instanceof ForeignTopics)
    return new WrongLog(
      `the topics belong to installation ${error.owner} (topic ${error.marker}), and the database to installation ${id}: ` +
        'each installation needs a PENSTOCK_PREFIX of its own and its own DATABASE_URL',
      { cause: error },
    );
  if (error instanceof UnclaimedTopics)
    return new WrongLog(
      `topic ${error.topic} has records of an installation that is not known, and the database, of installation ${id}, ` +
        'has not used this log before. Set a PENSTOCK_PREFIX of its own; or, if the topics are those of another ' +
        'installation, start that one first; if nobody needs their records any more, delete the topics; and if they ' +
        `are this installation's, let topic ${error.marker} begin with the record {"installation":"${id}"}`,
      { cause: error },
    );
  return error;
};

/**
 * For programs that only read: checks that the log is the one that the installation uses.
 *
 * @throws WrongLog
 */
export const refuseOtherLog = async (pool: Pool, log: MessageLog): Promise<void> => {
  const found = await new InstallationRecord(pool).find();
  if (found?.log === undefined) return;
  const identity = await log.identity();
  if (found.log !== identity) throw moved(found, identity);
};

/**
 * Makes the topics as those of the installation, whose database records which log it uses.
 *
 * The record of the installation is made first and stays when the log is refused: what an operator may write into the
 * topics to adopt them is its id. The log is recorded last, so that one which is refused is never on record.
 *
 * @returns the id of the installation.
 * @throws WrongLog saying what to do: before any topic is made, unless another service of the installation has
 *   recorded another log meanwhile. The topics, empty and marked as the installation's, are then left behind.
 */
export const claimLog = async ({
  record,
  log,
  topics,
  isShared,
  ...move
}: LogClaim): Promise<string> => {
  const identity = await log.identity();
  const found = await record.read(identity);
  const isOther = found.log !== undefined && found.log !== identity;
  if (isOther && !move.mayMove) throw moved(found, identity);
  const owner = {
    installation: found.id,
    marker: TOPIC.installation,
    isKnown: found.log === identity,
  };
  try {
    await log.ensureTopics(topics, isShared ? owner : undefined);
  } catch (error) {
    throw refused(error, found);
  }
  if (found.log === identity) return found.id;
  if (found.log !== undefined) move.onMove({ from: found.log, to: identity });
  if (!(await record.use(found.log, identity))) throw moved(await record.read(identity), identity);
  return found.id;
};
