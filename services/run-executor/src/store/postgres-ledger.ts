import {
  MAX_ERROR_SAMPLES,
  MAX_RUN_ERRORS,
  OTHER_ERRORS,
  RUN_STEPS,
  type RunErrorGroup,
  type RunFact,
  type RunId,
} from '@penstock/contracts';
import type { PoolClient } from 'pg';
import { Away } from '../engine/away';
import { LeaseLost } from '../engine/lease-lost';
import type { ExportLedger, ImportLedger, SettledBatch, TakenKey } from '../engine/run-ledger';
import { MAX_MESSAGE_LENGTH } from '../engine/tally';
import type { UserLedger, ValueOwner } from '../engine/user-ledger';
import { WholeRunError } from '../engine/whole-run-error';
import { cleanText } from './clean-text';
import type { Database } from './database';
import { markCreated, registerValues } from './registered-values';
import { SYSTEM } from './run-store';
import { storedWarnings } from './stored-texts';
import { forgetUnsettledKeys, TakenKeys } from './taken-keys';

const SETTLE = `
UPDATE penstock_runs.runs
   SET sequence = $3, position = $4, cursor = $5, facts = facts + 1,
       passed = (SELECT array_agg(one + more ORDER BY place)
                   FROM unnest(passed, $6::bigint[]) WITH ORDINALITY AS u (one, more, place)),
       failed = (SELECT array_agg(one + more ORDER BY place)
                   FROM unnest(failed, $7::bigint[]) WITH ORDINALITY AS u (one, more, place)),
       duplicates = duplicates + $8, without_id = without_id + $9, warnings = warnings || $10::text[],
       total = $11, share = $12
 WHERE id = $1 AND epoch = $2 AND ended IS NULL AND sequence < $3
RETURNING facts`;

const RESTART = `
UPDATE penstock_runs.runs
   SET reading_from = $3, position = '{"kind":"start"}', cursor = NULL, facts = facts + 1,
       passed = '{0,0,0,0,0,0}', failed = '{0,0,0,0,0,0}', duplicates = 0, without_id = 0,
       total = NULL, share = NULL
 WHERE id = $1 AND epoch = $2 AND ended IS NULL AND reading_from < $3
RETURNING facts`;

/** No fact: the one that ends the run has the number. */
const PURGED = `
UPDATE penstock_runs.runs SET purged = greatest(purged, $3)
 WHERE id = $1 AND epoch = $2 AND ended IS NULL`;

const PRESENT = `
SELECT epoch::float8 AS epoch, sequence, reading_from AS "readingFrom", ended IS NOT NULL AS "isEnded"
  FROM penstock_runs.runs WHERE id = $1`;

const FACT = `
INSERT INTO penstock_runs.facts (run, number, actor, type, data) VALUES ($1, $2, $3, $4, $5)`;

/**
 * A change of a run that counts a fact, and the fact, in one statement.
 *
 * @param update has the run as its first parameter, and returns the number of the fact.
 * @param count of its parameters: those of the fact follow them.
 */
const withFact = (update: string, count: number): string => {
  const [actor, type, data, received] = [1, 2, 3, 4].map((more) => `$${String(count + more)}`);
  return `
WITH changed AS (${update})
INSERT INTO penstock_runs.facts (run, number, actor, type, data, received)
SELECT $1, facts, ${actor}::text, ${type}::text, ${data}::text, ${received}::bigint FROM changed`;
};

const KNOWN_ERRORS =
  'SELECT step, code, md5(message) AS digest, message FROM penstock_runs.errors WHERE run = $1';

const ADD_ERROR = `
INSERT INTO penstock_runs.errors AS e (run, step, code, message, count, samples) VALUES ($1, $2, $3, $4, $5, $6)
ON CONFLICT (run, step, code, md5(message)) DO UPDATE
   SET count = e.count + excluded.count, last_at = clock_timestamp(),
       samples = (e.samples || excluded.samples)[1:${String(MAX_ERROR_SAMPLES)}]`;

interface Present {
  readonly epoch: number;
  readonly sequence: number;
  readonly readingFrom: number;
  readonly isEnded: boolean;
}

/** Bytes of what a fact says: with the frame about it the log takes it in one message. */
const MAX_FACT_BYTES = 900_000;

/**
 * What a fact says, as it is stored.
 *
 * @throws WholeRunError when it is too large for the log, where it would hold up the facts of all runs.
 */
const storedFact = ({ type, data }: RunFact): string => {
  const text = cleanText(JSON.stringify(data));
  const bytes = Buffer.byteLength(text);
  if (bytes <= MAX_FACT_BYTES) return text;
  throw new WholeRunError(
    'Finalize',
    'TooLarge',
    `what is to be recorded (${type}) has ${String(bytes)} bytes, and ${String(MAX_FACT_BYTES)} are allowed`,
  );
};

/** Appends a fact of a run, whose row the transaction has updated. @throws WholeRunError when it is too large */
export const addFact = async (
  db: PoolClient,
  run: RunId,
  number: number,
  fact: RunFact,
  { actor = SYSTEM }: { actor?: string } = {},
): Promise<void> => {
  await db.query(FACT, [run, number, actor, fact.type, storedFact(fact)]);
};

/** Any failure of the database but the loss of the lease may pass: a run fails only when it lasts. What is too large stays so. */
export const orAway = async <T>(work: () => Promise<T>): Promise<T> => {
  try {
    return await work();
  } catch (error) {
    if (error instanceof LeaseLost || error instanceof WholeRunError) throw error;
    throw new Away('the database of the service cannot be reached', undefined, { cause: error });
  }
};

const groupKey = (step: number, code: string, message: string): string =>
  JSON.stringify([step, code, message]);

/** Merges groups into those of the run; what is beyond the limit of a step is counted as other errors. */
export const addErrors = async (
  db: PoolClient,
  run: RunId,
  groups: readonly RunErrorGroup[],
): Promise<void> => {
  if (groups.length === 0) return;
  const { rows } = await db.query<{ step: number; code: string; message: string }>(KNOWN_ERRORS, [
    run,
  ]);
  const known = new Set(rows.map(({ step, code, message }) => groupKey(step, code, message)));
  const counts = RUN_STEPS.map(
    (_, step) => rows.filter((row) => row.step === step && row.code !== OTHER_ERRORS.code).length,
  );
  for (const group of groups) {
    const step = RUN_STEPS.indexOf(group.step);
    const message = cleanText(group.message).slice(0, MAX_MESSAGE_LENGTH);
    const key = groupKey(step, group.code, message);
    const isOther = !known.has(key) && (counts[step] ?? 0) >= MAX_RUN_ERRORS;
    const { code } = isOther ? OTHER_ERRORS : group;
    if (!known.has(key) && code !== OTHER_ERRORS.code) counts[step] = (counts[step] ?? 0) + 1;
    // What is counted as another error is no message of its own the next time either.
    if (!isOther) known.add(key);
    const samples = group.samples.map(cleanText);
    const text = isOther ? OTHER_ERRORS.message : message;
    await db.query(ADD_ERROR, [run, step, code, text, group.count, samples]);
  }
};

/** Records in PostgreSQL, under the epoch of one claim. */
export class PostgresLedger implements ImportLedger, ExportLedger, UserLedger {
  private readonly taken: TakenKeys;

  constructor(
    private readonly database: Database,
    readonly run: RunId,
    readonly epoch: number,
  ) {
    this.taken = new TakenKeys(database, { run, epoch });
  }

  settle(batch: SettledBatch): Promise<void> {
    const { extent, ...given } = batch;
    const settled = { ...given, warnings: storedWarnings(given.warnings) };
    const { sequence, position, cursor, passed, failed, errors, warnings } = settled;
    const values = [
      ...[this.run, this.epoch, sequence, JSON.stringify(position), cursor, passed, failed],
      ...[batch.duplicates, batch.withoutId, warnings],
      ...[extent.total, extent.share],
    ];
    const received = (passed[0] ?? 0) + (failed[0] ?? 0);
    // Facts are kept for ever, and a person may be erased: only the table names records.
    const named = errors.map((group) => ({ ...group, samples: [] }));
    return this.record(
      [SETTLE, values],
      { type: 'BatchSettled', data: { epoch: this.epoch, ...settled, ...extent, errors: named } },
      (present) => present.sequence >= sequence,
      errors.length === 0 ? undefined : (db) => addErrors(db, this.run, errors),
      received,
    );
  }

  restart(reason: string, readingFrom: number): Promise<void> {
    return this.record(
      [RESTART, [this.run, this.epoch, readingFrom]],
      { type: 'ReadingRestarted', data: { epoch: this.epoch, reason } },
      (present) => present.readingFrom >= readingFrom,
    );
  }

  purged(count: number): Promise<void> {
    return orAway(async () => {
      const { run, epoch } = this;
      if ((await this.database.change(PURGED, [run, epoch, count])) === 0) throw new LeaseLost();
    });
  }

  takeKeys(batch: number, keys: readonly TakenKey[]): Promise<ReadonlySet<string>> {
    return orAway(() => this.taken.take(batch, keys));
  }

  forgetUnsettledKeys(): Promise<void> {
    const { run, epoch } = this;
    return orAway(() => this.database.transaction((db) => forgetUnsettledKeys(db, run, epoch)));
  }

  registerValues(values: readonly TakenKey[]): Promise<readonly ValueOwner[]> {
    return orAway(() => this.database.transaction((db) => registerValues(db, this, values)));
  }

  markCreated(batch: number, keys: readonly Buffer[]): Promise<void> {
    return orAway(() => this.database.transaction((db) => markCreated(db, this, batch, keys)));
  }

  check(): Promise<void> {
    return orAway(async () => {
      this.checkPresent(await this.database.rows<Present>(PRESENT, [this.run]), () => true);
    });
  }

  /** @param more what is recorded with it; without any, one way to the server is enough. */
  private record(
    [update, values]: readonly [string, readonly unknown[]],
    fact: RunFact,
    isDone: (present: Present) => boolean,
    more?: (db: PoolClient) => Promise<void>,
    received = 0,
  ): Promise<void> {
    return orAway(async () => {
      const text = withFact(update, values.length);
      const given = [...values, SYSTEM, fact.type, storedFact(fact), received];
      const isRecorded =
        more === undefined
          ? (await this.database.change(text, given)) > 0
          : await this.database.transaction(async (db) => {
              const { rowCount } = await db.query(text, given);
              if (rowCount === 0) return false;
              await more(db);
              return true;
            });
      if (!isRecorded)
        this.checkPresent(await this.database.rows<Present>(PRESENT, [this.run]), isDone);
    });
  }

  private checkPresent([present]: readonly Present[], isDone: (present: Present) => boolean): void {
    const isMine = present?.epoch === this.epoch && !present.isEnded;
    if (!isMine || !isDone(present)) throw new LeaseLost();
  }
}
