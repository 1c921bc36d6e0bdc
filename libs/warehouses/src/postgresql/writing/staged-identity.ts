import { compareCodePoints, type RecordValue, type Value, writeJson } from '@penstock/schema';
import type { IdentityUpdate, ImportedRecord } from '../../platform/warehouse-writer';
import { arrayText, copyText } from '../columns/copy-text';
import { fieldText } from '../columns/field-text';
import { valueAt } from '../../profiles/value-columns';
import type { ProfileColumn } from '../columns/profile-columns';
import { OTHERS } from '../merging/merge-identities';

const US_PER_MS = 1_000n;

/** A text of the bytes of its time, then of its tie-breaker: in the order of both. */
const stampOf = ({ updatedAtUs, tieBreaker }: IdentityUpdate): string =>
  `${momentText(updatedAtUs)} ${tieBreaker}`;

/** RFC 3339 with microseconds; of the years 1 to 9999, so that texts are in the order of moments. */
const momentText = (us: bigint): string => {
  const [ms, micros] = divided(us);
  return `${new Date(ms).toISOString().slice(0, -1)}${String(micros).padStart(3, '0')}Z`;
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

/** The row of an identity of which the batch has one record, as nearly all are: the same as by {@link StagedIdentity}. */
export const recordRow = (record: ImportedRecord, columns: readonly ProfileColumn[]): string => {
  const moment = momentText(record.updatedAtUs);
  const times = copyText(`{"${OTHERS}":${JSON.stringify(`${moment} ${record.tieBreaker}`)}}`);
  let row = `${copyText(record.recordId)}\tf\t{}\t{}\t${moment}\t${times}\t{}`;
  for (const column of columns)
    row += `\t${fieldText(column, valueAt(record.values, column.path))}`;
  return `${row}\n`;
};

/** The previous ids that updates tell of, each once, in the order in which they stand in a row. */
export const previousIdsOf = (updates: readonly IdentityUpdate[]): readonly string[] => {
  const ids = updates.flatMap((update) => (update.kind === 'event' && update.previousId) || []);
  return [...new Set(ids)].sort(compareCodePoints);
};

/** All updates of one identity in a batch, reduced to one row. */
export class StagedIdentity {
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
    private readonly columns: readonly ProfileColumn[],
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

  /** The row, as COPY reads it: the columns of {@link STAGED} and those of the properties. */
  row(): string {
    const times = new Map(this.times);
    if (this.others !== undefined) times.set(OTHERS, this.others);
    const anonymousIds = [...this.anonymousTimes]
      .sort(([one, at], [other, otherAt]) =>
        at === otherAt ? compareCodePoints(one, other) : compareCodePoints(at, otherAt),
      )
      .map(([id]) => id);
    const own = [
      this.recordId,
      this.anonymous ? 't' : 'f',
      arrayText(anonymousIds),
      arrayText([...this.previousIds].sort(compareCodePoints)),
      momentText(this.latestUs),
      writeJson(times),
      writeJson(this.anonymousTimes),
    ];
    const fields = this.columns.map((column) => fieldText(column, this.values.get(column.name)));
    return `${[...own.map(copyText), ...fields].join('\t')}\n`;
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

/** The columns of {@link StagedIdentity.row} before those of the properties, with their types. */
export const STAGED = [
  { name: '_record_id', sqlType: 'text' },
  { name: '_anonymous', sqlType: 'boolean' },
  { name: '_anonymous_ids', sqlType: 'text[]' },
  { name: '_previous_ids', sqlType: 'text[]' },
  { name: '_updated_at', sqlType: 'timestamptz' },
  { name: '_property_times', sqlType: 'jsonb' },
  { name: '_anonymous_times', sqlType: 'jsonb' },
] as const;
