import type { Microtime } from '@penstock/contracts';
import type { RecordValue } from '@penstock/schema';
import type {
  IdentityOutcome,
  IdentityUpdate,
  RunOfBatch,
  Settled,
  SettledAs,
} from '@penstock/warehouses';
import { laterOf, microsecondsOf } from './microtime';
import type { RecordFault, SourceRecord } from './record-source';
import type { StepResult } from './steps';
import { INTERRUPTED, type StepsOfKind, Tally } from './tally';

/** What handling a batch depends on. */
export interface BatchContext {
  readonly steps: StepsOfKind;
  readonly defaultTime: Microtime;
  /** Decides between updates of one time. */
  readonly tieBreaker: string;
  /** Whether the batch of this number was counted in the present reading. */
  readonly isCounted: (batch: number) => boolean;
  readonly isUnsettled: (batch: number) => boolean;
  /** The time in microseconds since 1970 that no update time may be beyond. */
  readonly latestUs: bigint;
  readonly seen: (ids: readonly string[]) => Promise<ReadonlyMap<string, Settled>>;
  readonly apply: (records: readonly RecordValue[]) => Promise<readonly StepResult[]>;
  readonly write: (
    updates: readonly IdentityUpdate[],
    settled: Pick<RunOfBatch, 'settled' | 'times' | 'unfiltered'>,
    before: Promise<void>,
  ) => Promise<readonly IdentityOutcome[]>;
}

/** What a batch counts for. */
export interface HandledBatch {
  readonly tally: Tally;
  readonly duplicates: number;
  readonly withoutId: number;
  /** Greatest update time of its records; `null`: they have none. */
  readonly cursor: Microtime | null;
}

/** Recorded of a record whose time cannot be used: every other one is later. */
const BEFORE_ALL_US = -(2n ** 62n);

const FIRST_TIME: Microtime = '1900-01-01T00:00:00.000000Z';

/** Bytes of a record id in UTF-8: data warehouses keep it in indexes. */
export const MAX_ID_BYTES = 1_024;

/** UTF-8 bytes that one UTF-16 unit takes at most. */
const MAX_BYTES_PER_UNIT = 3;

const isTooLong = (id: string): boolean =>
  id.length * MAX_BYTES_PER_UNIT > MAX_ID_BYTES && Buffer.byteLength(id) > MAX_ID_BYTES;

const TOO_LONG: RecordFault = {
  code: 'InvalidId',
  message: `the id is longer than ${String(MAX_ID_BYTES)} bytes`,
};
const TOO_EARLY: RecordFault = {
  code: 'InvalidUpdateTime',
  message: 'the update time is before the year 1900',
};
const TOO_LATE: RecordFault = {
  code: 'InvalidUpdateTime',
  message: 'the update time is more than 5 minutes in the future',
};

/** A record with a readable id. */
interface Received {
  readonly id: string;
  readonly record: SourceRecord;
  /** `''` of a record with a fault. */
  readonly time: Microtime;
  /** The same in microseconds since 1970; {@link BEFORE_ALL_US} of a record with a fault. */
  readonly timeUs: bigint;
  readonly fault: RecordFault | null;
}

/** The records of one id: the first of them is the one that counts. */
interface Group {
  readonly first: Received;
  readonly later: Received[];
  readonly known: Settled | undefined;
}

/**
 * A record that is transformed: the first of its id, which counts by what becomes of it; one that is counted already
 * and lacks its reason; or a later one of its id, which is not counted. It is applied when it is newer than the first, or the
 * filter has left out the first.
 */
interface Wanted {
  readonly of: Received;
  readonly as:
    | { readonly is: 'first' }
    | { readonly is: 'later'; readonly isNewer: boolean }
    | { readonly is: 'known'; readonly as: Exclude<SettledAs, 'Merged'> };
}

const AS_FIRST = { is: 'first' } as const;

/** What becomes of a record; at Receive, of one that its source cannot read. */
type Result = StepResult | { readonly step: 'Receive'; readonly fault: RecordFault | null };

/** An update that is written, and whether it counts. */
interface Written {
  readonly of: Received;
  readonly counts: boolean;
  readonly update: IdentityUpdate;
}

/** The warehouse keeps the newest of those that were merged; of a failed one it has the time only. */
const isNewerThan = (
  { as, updatedAtUs: sinceUs }: Settled,
  { record, time, timeUs }: Received,
): boolean => {
  if (as === 'Merged') return true;
  // It was settled by a release that recorded no time.
  if (sinceUs === undefined) return record.updatedAt !== null;
  return time !== '' && timeUs > sinceUs;
};

/** Handles one batch: finds what was settled before and transforms, then writes and counts. */
export class BatchHandling {
  private readonly tally: Tally;
  private readonly settled = new Map<string, SettledAs>();
  private readonly times = new Map<string, bigint>();
  /** Ids of which the filter has left out the first record. */
  private readonly filtered = new Set<string>();
  /** Those of them that have a later record, which it has not left out. */
  private readonly unfiltered = new Set<string>();
  private duplicates = 0;
  private withoutId = 0;
  private cursor: Microtime | null = null;
  private ids: ReadonlySet<string> = new Set();
  private prepared: readonly Written[] = [];
  private readonly defaultUs: bigint;

  constructor(private readonly context: BatchContext) {
    this.tally = new Tally(context.steps);
    this.defaultUs = microsecondsOf(context.defaultTime);
  }

  /** Of the records that were prepared. */
  get recordIds(): ReadonlySet<string> {
    return this.ids;
  }

  /** Finds what was settled of the records before, and transforms them. Nothing is written. */
  async prepare(records: readonly SourceRecord[]): Promise<void> {
    const received = records.flatMap((record) => this.receive(record) ?? []);
    this.ids = new Set(received.map(({ id }) => id));
    const groups = await this.grouped(received);
    this.prepared = await this.updates(groups.flatMap((group) => this.wanted(group)));
  }

  /** Writes what was prepared. @param before nothing is merged until it resolves */
  async write(before: Promise<void>): Promise<HandledBatch> {
    const { prepared } = this;
    const updates = prepared.map(({ update }) => update);
    const { settled, times, unfiltered } = this;
    const outcomes = await this.context.write(updates, { settled, times, unfiltered }, before);
    prepared.forEach(({ of, counts }, index) => {
      if (counts) this.finish(of, outcomes[index]);
    });
    const { tally, duplicates, withoutId, cursor } = this;
    return { tally, duplicates, withoutId, cursor };
  }

  /** @returns undefined for a record without a readable id, which ends here. */
  private receive(record: SourceRecord): Received | undefined {
    const { id, fault, updatedAt } = record;
    if (id === null || isTooLong(id)) {
      this.withoutId += 1;
      this.fail('Receive', id === null ? fault : TOO_LONG, null);
      return undefined;
    }
    const timeUs = updatedAt === null ? this.defaultUs : microsecondsOf(updatedAt);
    const wrong = fault ?? this.timeFault(updatedAt, timeUs);
    if (wrong !== null) return { id, record, time: '', timeUs: BEFORE_ALL_US, fault: wrong };
    this.cursor = laterOf(this.cursor, updatedAt);
    return { id, record, time: updatedAt ?? this.context.defaultTime, timeUs, fault: null };
  }

  private timeFault(time: Microtime | null, timeUs: bigint): RecordFault | null {
    if (time === null) return null;
    if (time < FIRST_TIME) return TOO_EARLY;
    return timeUs > this.context.latestUs ? TOO_LATE : null;
  }

  private async grouped(received: readonly Received[]): Promise<readonly Group[]> {
    const ids = [...this.ids];
    const seen = ids.length === 0 ? new Map<string, Settled>() : await this.context.seen(ids);
    const groups = new Map<string, Group>();
    for (const each of received) {
      const group = groups.get(each.id);
      if (group === undefined)
        groups.set(each.id, { first: each, later: [], known: seen.get(each.id) });
      else group.later.push(each);
    }
    return [...groups.values()];
  }

  /** The records of an id that have to be transformed; counts what needs no transformation. */
  private wanted({ first, later, known }: Group): Wanted[] {
    this.duplicates += later.length;
    if (known?.as === 'Filter') this.filtered.add(first.id);
    if (known !== undefined && this.context.isCounted(known.batch)) {
      if (first.record.mayBeRepeated !== true) this.duplicates += 1;
      return [first, ...later].map((of) => ({
        of,
        as: { is: 'later', isNewer: isNewerThan(known, of) },
      }));
    }
    this.times.set(first.id, first.timeUs);
    const applied = later.map((of): Wanted => ({
      of,
      as: { is: 'later', isNewer: of.time > first.time },
    }));
    if (known === undefined) return [{ of: first, as: AS_FIRST }, ...applied];
    this.settled.set(first.id, known.as);
    this.tally.count(known.as);
    if (known.as === 'Merged' || known.as === 'Filter') return applied;
    if (this.context.isUnsettled(known.batch))
      return [{ of: first, as: { is: 'known', as: known.as } }, ...applied];
    this.tally.recount(known.as);
    return applied;
  }

  /** What is to be written; counts the records that fail before. */
  private async updates(wanted: readonly Wanted[]): Promise<readonly Written[]> {
    const usable = wanted.filter(({ of }) => of.fault === null);
    const results = await this.context.apply(usable.map(({ of }) => of.record.values));
    const byRecord = new Map(usable.map(({ of }, index) => [of, results[index]]));
    return wanted.flatMap(({ of, as }) => {
      const result = byRecord.get(of) ?? { step: 'Receive' as const, fault: of.fault };
      if (as.is === 'known') this.explainAgain(of, as.as, result);
      else if (as.is === 'later' && !this.isApplied(of, as.isNewer, result)) return [];
      else if ('values' in result)
        return [{ of, counts: as.is === 'first', update: this.update(of, result.values) }];
      else if (as.is === 'first') {
        this.settled.set(of.id, result.step);
        if (result.step === 'Filter') this.filtered.add(of.id);
        this.fail(result.step, result.fault, of.id);
      }
      return [];
    });
  }

  /** Marks an id whose first record the filter has left out, but not this later one. */
  private isApplied({ id }: Received, isNewer: boolean, result: Result): boolean {
    if (!this.filtered.has(id)) return isNewer;
    const isLeftOut = 'step' in result && result.step === 'Filter';
    if (!isLeftOut) this.unfiltered.add(id);
    return !isLeftOut;
  }

  /** The reason of a record that was counted by what is known of it. */
  private explainAgain({ id }: Received, as: Exclude<SettledAs, 'Merged'>, result: Result): void {
    const isSame = 'step' in result && result.step === as;
    this.tally.explainAgain(as, (isSame ? result.fault : null) ?? INTERRUPTED, id);
  }

  private finish({ id }: Received, outcome: IdentityOutcome | undefined): void {
    if (outcome?.refused === undefined) this.tally.count('Merged');
    else this.fail('Finalize', { code: 'Refused', message: outcome.refused }, id);
  }

  private fail(
    step: Exclude<SettledAs, 'Merged'>,
    fault: RecordFault | null,
    id: string | null,
  ): void {
    this.tally.count(step);
    if (fault !== null) this.tally.explain(step, fault, id);
  }

  private update({ id, timeUs }: Received, values: RecordValue): IdentityUpdate {
    const { tieBreaker } = this.context;
    return { kind: 'record', recordId: id, updatedAtUs: timeUs, tieBreaker, values };
  }
}
