import { compareCodePoints, type RecordValue, type Value } from '@penstock/schema';
import type { IdentityUpdate } from '../platform/warehouse-writer';
import { type ValueColumn, valueAt } from '../profiles/value-columns';

const US_PER_MS = 1_000n;

/** A text of the bytes of its time, then of its tie-breaker: in the order of both. */
export const stampOf = ({ updatedAtUs, tieBreaker }: IdentityUpdate): string =>
  `${momentText(updatedAtUs)} ${tieBreaker}`;

/** The last moment that was written: those of one record, and often of many, are the same. */
const written = { us: 0n, text: '1970-01-01T00:00:00.000000Z' };

/** RFC 3339 with microseconds; of the years 1 to 9999, so that texts are in the order of moments. */
export const momentText = (us: bigint): string => {
  if (us !== written.us) {
    const [ms, micros] = divided(us);
    written.text = `${new Date(ms).toISOString().slice(0, -1)}${String(micros).padStart(3, '0')}Z`;
    written.us = us;
  }
  return written.text;
};

/** Milliseconds, rounded down, and the microseconds beyond them. */
const divided = (us: bigint): readonly [ms: number, micros: number] => {
  const whole = Number(us);
  // Beyond the year 2255 a number is not exact.
  if (!Number.isSafeInteger(whole)) {
    const micros = ((us % US_PER_MS) + US_PER_MS) % US_PER_MS;
    return [Number((us - micros) / US_PER_MS), Number(micros)];
  }
  const ms = Math.floor(whole / Number(US_PER_MS));
  return [ms, whole - ms * Number(US_PER_MS)];
};

/** The previous ids that updates tell of, each once, in the order in which they stand in a row. */
export const previousIdsOf = (updates: readonly IdentityUpdate[]): readonly string[] => {
  const ids = updates.flatMap((update) => (update.kind === 'event' && update.previousId) || []);
  return [...new Set(ids)].sort(compareCodePoints);
};

/** What a batch knows of one identity. */
export interface IdentityParts {
  readonly recordId: string;
  readonly anonymous: boolean;
  /** The earliest first. */
  readonly anonymousIds: readonly string[];
  /** In the order of their bytes. */
  readonly previousIds: readonly string[];
  /** Of the latest update: see {@link momentText}. */
  readonly moment: string;
  /** Of every column that has no time of its own; undefined: there was no record. */
  readonly others: string | undefined;
  readonly times: ReadonlyMap<string, string>;
  /** By anonymous id: of the earliest event that names it. */
  readonly anonymousTimes: ReadonlyMap<string, string>;
  /** In the order of the columns. */
  readonly values: readonly (Value | undefined)[];
}

/** All updates of one identity in a batch, reduced to one. */
export class IdentityState {
  private latestUs: bigint;
  /** Of the latest record, which says something of every property. */
  private others: string | undefined;
  /** By column: what sets it later than {@link others}. */
  private readonly times = new Map<string, string>();
  private readonly values = new Map<string, Value>();
  private readonly anonymousTimes = new Map<string, string>();
  private readonly previousIds = new Set<string>();

  constructor(
    readonly recordId: string,
    readonly anonymous: boolean,
    private readonly columns: readonly ValueColumn[],
    first: IdentityUpdate,
  ) {
    this.latestUs = first.updatedAtUs;
    this.add(first);
  }

  add(update: IdentityUpdate): void {
    const stamp = stampOf(update);
    if (update.updatedAtUs > this.latestUs) this.latestUs = update.updatedAtUs;
    if (update.kind === 'record') this.addRecord(stamp, update.values);
    else this.addEvent(stamp, update);
  }

  get parts(): IdentityParts {
    const anonymousIds = [...this.anonymousTimes]
      .sort(([one, at], [other, otherAt]) =>
        at === otherAt ? compareCodePoints(one, other) : compareCodePoints(at, otherAt),
      )
      .map(([id]) => id);
    return {
      recordId: this.recordId,
      anonymous: this.anonymous,
      anonymousIds,
      previousIds: [...this.previousIds].sort(compareCodePoints),
      moment: momentText(this.latestUs),
      others: this.others,
      times: this.times,
      anonymousTimes: this.anonymousTimes,
      values: this.columns.map(({ name }) => this.values.get(name)),
    };
  }

  private timeOf(column: string): string {
    return this.times.get(column) ?? this.others ?? '';
  }

  private addRecord(stamp: string, values: RecordValue): void {
    if (this.others !== undefined && compareCodePoints(stamp, this.others) <= 0) return;
    for (const { name, path } of this.columns) {
      if (compareCodePoints(stamp, this.timeOf(name)) <= 0) continue;
      this.set(name, valueAt(values, path));
      this.times.delete(name);
    }
    this.others = stamp;
  }

  private addEvent(stamp: string, update: IdentityUpdate & { readonly kind: 'event' }): void {
    for (const { name, path } of this.columns) {
      const value = valueAt(update.values, path);
      if (value === undefined || compareCodePoints(stamp, this.timeOf(name)) <= 0) continue;
      this.set(name, value);
      this.times.set(name, stamp);
    }
    const { anonymousId, previousId } = update;
    if (previousId !== undefined) this.previousIds.add(previousId);
    if (anonymousId === undefined) return;
    const known = this.anonymousTimes.get(anonymousId);
    if (known === undefined || compareCodePoints(stamp, known) < 0)
      this.anonymousTimes.set(anonymousId, stamp);
  }

  private set(column: string, value: Value | undefined): void {
    if (value === undefined || value === null) this.values.delete(column);
    else this.values.set(column, value);
  }
}
