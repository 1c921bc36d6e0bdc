import type { Microtime, RunPosition } from '@penstock/contracts';
import type { RunErrorCode } from './run-error-codes';
import type { RecordValue, Schema } from '@penstock/schema';

/** Why a record cannot be used. Repeats no value. */
export interface RecordFault {
  readonly code: RunErrorCode;
  readonly message: string;
  /** Where the source has the record, such as `line 5`; absent: the source has no such place. */
  readonly place?: string;
  /** What a function has thrown, which may hold values; absent: the message is all. */
  readonly thrown?: string;
}

/** A record as its source gives it. */
export interface SourceRecord {
  /** Its id; `null`: it cannot be read, and {@link fault} says why. */
  readonly id: string | null;
  /** When it was changed last; `null`: the source does not say. */
  readonly updatedAt: Microtime | null;
  /** Of the schema of the reading. */
  readonly values: RecordValue;
  /** Why it fails at Receive; `null`: it does not. */
  readonly fault: RecordFault | null;
  /** Whether the filter, which its source evaluates, leaves it out: then nothing was read of it. */
  readonly isLeftOut?: boolean;
  /** Whether it may have been given before a worker was lost: then its id coming again is no second record. */
  readonly mayBeRepeated?: boolean;
}

/** How far a reading is. */
export interface Extent {
  /** Records that it gives in all; `null`: the source does not say. */
  readonly total: number | null;
  /** Part of the source that was read, from 0 to 1; `null`: it cannot be told. */
  readonly share: number | null;
}

/** Of a source that says nothing. */
export const UNKNOWN_EXTENT: Extent = { total: null, share: null };

/** Some records of a source, in its order. */
export interface SourcePage {
  /** With the page. */
  readonly extent: Extent;
  readonly records: readonly SourceRecord[];
  /** Where reading goes on behind the first `count` of the records. */
  positionAfter(count: number): RunPosition;
}

/** What is wanted of a source. */
export interface ReadingWanted {
  /** Where reading goes on. */
  readonly from: RunPosition;
  /** Records that were changed before may be left out; `null`: all are wanted. */
  readonly changedSince: Microtime | null;
  /** What is read of each record; a source may give more. */
  readonly schema: Schema;
  /** Ends the reading with its reason. */
  readonly signal: AbortSignal;
}

/** A source, opened for reading once. */
export interface RecordReading {
  /** What the source has now. */
  readonly schema: Schema;
  /** What is left out, and why: a sentence for each. */
  readonly warnings: readonly string[];
  /** Why reading begins at the start although it was to go on elsewhere; `null`: it goes on, or there was nothing. */
  readonly restarted: string | null;
  /** Rejects with {@link Away} or `WholeRunError` when the rest cannot be read. */
  readonly pages: AsyncIterable<SourcePage>;
  /** Releases what the reading holds; may be called again. */
  close(): Promise<void>;
}

/** Where the records of a run come from. */
export interface RecordSource {
  /**
   * Opens the source with the settings that its connection has now.
   *
   * @throws Away, WholeRunError, or the signal's reason.
   */
  open(wanted: ReadingWanted): Promise<RecordReading>;
}
