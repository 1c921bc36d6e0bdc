import type { Instant, PipelineId } from './ids';

/**
 * How deliveries ended, which is for good: each is one event on its way through one pipeline. Those that ended alike at
 * one moment, as the events of a request do, share one record. An event that no pipeline wanted, or that was a
 * duplicate, never became a delivery and is only counted; so is what the log lost of an order key that stood in it.
 */
export interface EndedDeliveries {
  readonly pipeline: PipelineId;
  /** Of the pipeline, by which the events were routed. */
  readonly version: number;
  readonly state: 'Delivered' | 'Filtered' | 'Rejected' | 'Parked' | 'Duplicate';
  /** Why, from a short list; empty when the state suffices. */
  readonly code: string;
  /** Requests that were made for each. */
  readonly attempts: number;
  readonly at: Instant;
  /** The HTTP status with which the application refused, the last time; `null`: none, or they were delivered. */
  readonly status: number | null;
  /** Of the events, in their partition of the topic `events`; below 0: of a log before, kept in the store since. */
  readonly offsets: readonly number[];
}

/**
 * What names a commit of a router. Epochs of a partition rise with its owners, sequences with its commits; those
 * without an ending are left out. A sequence lower than the one before means that the routers have begun anew with
 * another log, to which offsets belong from there on.
 */
export interface CommitPlace {
  /** Of the topic `events`. */
  readonly partition: number;
  readonly epoch: number;
  /** 0: no commit, but what was open when another log began, and ended by that. The offsets are of the log before. */
  readonly sequence: number;
}

/** A record of the topic `outcomes`: what ended with one commit of a router, or a part of that. */
export interface OutcomesRecord extends CommitPlace {
  readonly form: 1;
  /** Counted from 1. */
  readonly part: number;
  /** Whether it is the last part of its commit. */
  readonly last: boolean;
  readonly outcomes: readonly EndedDeliveries[];
}

const FORM = 1;

/**
 * UTF-16 units of the outcomes in one record: at most 600,000 bytes, which any log takes. It belongs to the form, since
 * a commit that is recorded again must fall into the same parts.
 */
const MAX_PART = 200_000;

/** The key under which the outcomes of a partition stand, so that they keep their order. */
export const outcomesKey = (partition: number): string => String(partition);

/** The values of the records with the outcomes of one commit, made one by one. */
export function* writeOutcomes(
  { partition, epoch, sequence }: CommitPlace,
  outcomes: Iterable<EndedDeliveries>,
): Generator<string, void> {
  const recordOf = (part: number, last: boolean, texts: readonly string[]): string => {
    const head = JSON.stringify({ form: FORM, partition, epoch, sequence, part, last });
    return `${head.slice(0, -1)},"outcomes":[${texts.join(',')}]}`;
  };
  let part = 1;
  let texts: string[] = [];
  let length = 0;
  for (const ended of outcomes) {
    const text = JSON.stringify(ended);
    if (length > 0 && length + text.length > MAX_PART) {
      yield recordOf(part, false, texts);
      part += 1;
      texts = [];
      length = 0;
    }
    texts.push(text);
    length += text.length + 1;
  }
  yield recordOf(part, true, texts);
}

/**
 * Reads the value of a record of the topic `outcomes`.
 *
 * @throws Error when it is not of the form that this version knows.
 */
export const readOutcomes = (value: string): OutcomesRecord => {
  const record = JSON.parse(value) as Partial<OutcomesRecord> | null;
  if (record?.form !== FORM)
    throw new Error(`a record of outcomes has form ${String(record?.form)}, not ${String(FORM)}`);
  return record as OutcomesRecord;
};

/**
 * Finds out for a reader of the topic which records are new. A router that dies between writing records and noting that
 * it has written them, or is replaced meanwhile, writes them again; what was not written before still comes in order.
 * So a record counts when its epoch, sequence and part come after the highest of its partition that were read.
 */
export class NewOutcomes {
  private readonly highest = new Map<number, readonly number[]>();

  /** Whether the record is new; call it once for each record, in the order of the topic. */
  isNew({ partition, epoch, sequence, part }: OutcomesRecord): boolean {
    const place = [epoch, sequence, part];
    const before = this.highest.get(partition) ?? [];
    const at = place.findIndex((number, index) => number !== before[index]);
    if (at < 0 || (place[at] ?? 0) < (before[at] ?? -1)) return false;
    this.highest.set(partition, place);
    return true;
  }
}
