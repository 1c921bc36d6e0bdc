import type { RunErrorGroup, RunFact, RunId, Sealed } from '@penstock/contracts';
import type { PoolClient } from 'pg';
import { Away } from '../engine/away';
import { LeaseLost } from '../engine/lease-lost';
import type { ExportLedger, ImportLedger, SettledBatch, TakenKey } from '../engine/run-ledger';
import type { UserLedger, ValueOwner } from '../engine/user-ledger';
import { WholeRunError } from '../engine/whole-run-error';
import type { TalliedErrors } from '../engine/tally';
import { cleanText } from './clean-text';
import type { Database } from './database';
import { markCreated, registerValues } from './registered-values';
import { addErrors, beginErrorsAnew } from './run-errors';
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

/** Records in PostgreSQL, under the epoch of one claim. */
export class PostgresLedger implements ImportLedger, ExportLedger, UserLedger {
  private readonly taken: TakenKeys;

  constructor(
    private readonly database: Database,
    readonly run: RunId,
    readonly epoch: number,
    /** Undefined: the texts of the workspace are erased. */
    private readonly seal: (text: string) => Sealed | undefined,
  ) {
    this.taken = new TakenKeys(database, { run, epoch });
  }

  settle(batch: SettledBatch): Promise<void> {
    const { extent, recounted, ...given } = batch;
    const settled = { ...given, warnings: storedWarnings(given.warnings) };
    const { sequence, position, cursor, passed, failed, errors, warnings } = settled;
    const values = [
      ...[this.run, this.epoch, sequence, JSON.stringify(position), cursor, passed, failed],
      ...[batch.duplicates, batch.withoutId, warnings],
      ...[extent.total, extent.share],
    ];
    const received = (passed[0] ?? 0) + (failed[0] ?? 0);
    // Facts are kept for ever, and a person may be erased: only the table names records.
    const named = errors.map(({ step, code, message, count }): RunErrorGroup => ({
      ...{ step, code, message, count, samples: [] },
    }));
    const sealed = errors.map(({ texts, ...error }) => (texts ? this.sealed(error, texts) : error));
    const isExplained = errors.length > 0 || recounted.some((count) => count > 0);
    return this.record(
      [SETTLE, values],
      { type: 'BatchSettled', data: { epoch: this.epoch, ...settled, ...extent, errors: named } },
      (present) => present.sequence >= sequence,
      isExplained ? (db) => addErrors(db, this.run, sealed, recounted) : undefined,
      received,
    );
  }

  private sealed(error: TalliedErrors, texts: ReadonlyMap<string, string>): TalliedErrors {
    const sealed = [...texts].flatMap(([sample, text]): readonly [string, string][] => {
      const found = this.seal(text);
      return found === undefined ? [] : [[sample, found]];
    });
    return { ...error, texts: new Map(sealed) };
  }

  restart(reason: string, readingFrom: number): Promise<void> {
    return this.record(
      [RESTART, [this.run, this.epoch, readingFrom]],
      { type: 'ReadingRestarted', data: { epoch: this.epoch, reason } },
      (present) => present.readingFrom >= readingFrom,
      (db) => beginErrorsAnew(db, this.run),
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
    return orAway(() => markCreated(this.database, this, batch, keys));
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
