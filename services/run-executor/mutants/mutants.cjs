const { mutant } = require('../../../scripts/mutants/mutant.cjs');

/** Specs that catch several of them. */
const COMPLETING = 'engine/completing-runs.spec.ts';
const COUNTS = 'engine/tally-counts.spec.ts';
const HANDLING = 'engine/batch-handling.spec.ts';
const LEASE = 'workers/lease.spec.ts';
const REMOVALS = 'removals/removal-work.spec.ts';
const STORE = 'store/postgres-run-store.int.spec.ts';

/** Faults of the run executor that its specs must notice. */
module.exports = [
  // Claims
  mutant(
    'a lease counts from the answer',
    'workers/lease.ts',
    'this.heldFromMs = askedMs;',
    'this.heldFromMs = performance.now();',
    LEASE,
  ),
  mutant(
    'a lease that is not renewed holds still',
    'workers/lease.ts',
    'const leftMs = this.heldFromMs + this.options.leaseMs - performance.now();',
    'const leftMs = 2 * this.options.leaseMs;',
    LEASE,
  ),
  mutant(
    'a lease that the database denies holds still',
    'workers/lease.ts',
    'if (!isHeld) {',
    'if (isHeld === undefined) {',
    LEASE,
  ),
  mutant(
    'a failure to renew is the last attempt',
    'workers/lease.ts',
    'if (!this.isOver) this.later();',
    '',
    LEASE,
  ),
  mutant(
    'a run that was given back is renewed',
    'store/claims.ts',
    'WHERE id = $1 AND epoch = $2 AND ended IS NULL AND lease_until >= clock_timestamp()',
    'WHERE id = $1 AND epoch = $2 AND ended IS NULL',
    STORE,
    'that is given back is not kept by a renewal that comes late',
  ),
  mutant(
    'a workspace has more runs at a time than it may',
    'store/claims.ts',
    'l.cancel IS NULL AND coalesce(r.count, 0) < $1',
    'l.cancel IS NULL AND coalesce(r.count, 0) < $1 + 1',
    STORE,
    'performs so many runs of a workspace at a time',
  ),
  mutant(
    'the workspace that has asked first has all turns',
    'store/claims.ts',
    'ORDER BY rank, served NULLS FIRST, id LIMIT 1',
    'ORDER BY rank, id LIMIT 1',
    STORE,
    'lets workspaces take turns',
  ),
  mutant(
    'keys are marked by whoever has lost the run',
    'store/registered-values.ts',
    'WHERE run = $1 AND key = ANY ($4::bytea[]) AND EXISTS (SELECT FROM live)',
    'WHERE run = $1 AND key = ANY ($4::bytea[])',
    'store/registered-values.int.spec.ts',
    'a worker that has lost the run neither',
  ),
  mutant(
    'a batch is settled by whoever has lost the run',
    'store/postgres-ledger.ts',
    'WHERE id = $1 AND epoch = $2 AND ended IS NULL AND sequence < $3',
    'WHERE id = $1 AND ended IS NULL AND sequence < $3',
    STORE,
    'is refused of a worker that has lost the run',
  ),
  // Checkpoints
  mutant(
    'a batch is counted again when it is repeated',
    'store/postgres-ledger.ts',
    'WHERE id = $1 AND epoch = $2 AND ended IS NULL AND sequence < $3',
    'WHERE id = $1 AND epoch = $2 AND ended IS NULL',
    STORE,
    'counts once when it is repeated',
  ),
  mutant(
    'a cursor moves back',
    'engine/run-performance.ts',
    'const next = laterOf(this.cursor, cursor);',
    'const next = cursor ?? this.cursor;',
    COMPLETING,
  ),
  mutant(
    'a cursor is later than the start of its run',
    'engine/run-performance.ts',
    'const cursor = atMost(this.cursor, startedAt);',
    'const { cursor } = this;',
    COMPLETING,
  ),
  mutant(
    'a record at the cursor is passed over',
    'engine/run-performance.ts',
    'return updatedAt >= startingCursor;',
    'return updatedAt > startingCursor;',
    COMPLETING,
  ),
  mutant(
    'batches of a run have one number',
    'engine/run-performance.ts',
    'this.nextBatch += 1;',
    '',
    COMPLETING,
  ),
  mutant(
    'a run reads on after its end',
    'engine/run-performance.ts',
    "while (kind !== 'end' && !(await this.readOn()))",
    'while (!(await this.readOn()))',
    COMPLETING,
  ),
  // Purge
  mutant(
    'a source that is empty by mistake removes all identities',
    'engine/run-performance.ts',
    'if (this.received === 0)',
    'if (this.received < 0)',
    COMPLETING,
  ),
  mutant(
    'identities are removed although a record of them may have no id',
    'engine/run-performance.ts',
    'if (this.withoutId > 0)',
    'if (this.withoutId < 0)',
    COMPLETING,
  ),
  mutant(
    'an incremental import removes what it has not read',
    'engine/run-performance.ts',
    'if (incremental) return { purged: 0, cursor, warnings };',
    '',
    COMPLETING,
  ),
  mutant(
    'identities are removed before the end of reading is on record',
    'engine/run-performance.ts',
    'await this.endReading();',
    '',
    COMPLETING,
  ),
  mutant(
    'what a purge has removed is on record at its end only',
    'engine/run-performance.ts',
    'atWarehouse(() => writer.purge(pipeline, run, onPiece)),',
    'atWarehouse(() => writer.purge(pipeline, run, () => Promise.resolve(void onPiece))),',
    COMPLETING,
  ),
  // Counters
  mutant(
    'a record that has failed passes the later steps',
    'engine/tally.ts',
    `this.failedCounts[index] = (this.failedCounts[index] ?? 0) + 1;
        return;`,
    'this.failedCounts[index] = (this.failedCounts[index] ?? 0) + 1; continue;',
    COUNTS,
  ),
  mutant(
    'a step that the kind of run has not is counted',
    'engine/tally.ts',
    'if (this.steps[step]) this.passedCounts',
    'this.passedCounts',
    COUNTS,
  ),
  mutant(
    'records without an id are not told apart',
    'engine/tally.ts',
    'if (id === null) group.withoutId += 1;',
    '',
    COUNTS,
  ),
  mutant(
    'a record that may be the same one is a duplicate',
    'engine/batch-handling.ts',
    'if (first.record.mayBeRepeated !== true) this.duplicates += 1;',
    'this.duplicates += 1;',
    HANDLING,
  ),
  mutant(
    'the reason of a failed record is counted again',
    'engine/batch-handling.ts',
    'this.tally.recount(known.as);',
    '',
    HANDLING,
  ),
  mutant(
    'an update of five minutes in the future is refused',
    'engine/batch-handling.ts',
    'return timeUs > this.context.latestUs ? TOO_LATE : null;',
    'return timeUs >= this.context.latestUs ? TOO_LATE : null;',
    HANDLING,
  ),
  // Removals
  mutant(
    'a removal ends although the workspace has another warehouse by now',
    'removals/removal-work.ts',
    'const isWhole = isDone && this.settings() === warehouse;',
    'const isWhole = isDone;',
    REMOVALS,
  ),
];
