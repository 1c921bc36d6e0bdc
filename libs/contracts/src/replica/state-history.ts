import { indexAt, type Span } from './span';

/** States from the log that are held of one object: beyond it, the oldest are requested when needed. */
export const MAX_HELD_STATES = 256;

/** What the states of every object have. */
interface Versioned {
  readonly version: number;
  readonly deleted: boolean;
}

/** A state of an object, and the position of the configuration from which it held. */
export interface HistoricalRecord<State> {
  readonly position: number;
  readonly state: State;
}

/** What the history of a kind of objects needs to know of it. */
export interface HistoryRules<State> {
  /** What is held of a state. @param before the held state of the version before, where there is one. */
  readonly kept: (state: State, before: State | undefined) => State;
  /** Whether events go the same way by both. */
  readonly areAlike: (left: State, right: State) => boolean;
}

interface Held<State> extends HistoricalRecord<State> {
  /** The last position at which it is known to have held, where the version after it is not known. */
  readonly knownTo: number;
}

/**
 * The states of one object, by the positions from which they held. There may be gaps, since a compacted topic leaves
 * states out; gaps of versions show where.
 */
export class StateHistory<State extends Versioned> {
  /** Sorted by version, and so by position. */
  private records: Held<State>[] = [];
  /** The last position at which the object is known not to have existed yet. */
  private absentTo = -1;

  constructor(private readonly rules: HistoryRules<State>) {}

  /**
   * @param settled the position up to which the newest state that is held is known to have held.
   * @returns whether it is the newest one, and routes events otherwise than the one before it, or may have.
   */
  add({ position, state }: HistoricalRecord<State>, settled: number): boolean {
    const behind = this.records.findLastIndex((each) => each.state.version <= state.version);
    const before = this.records[behind];
    const after = this.records[behind + 1];
    if (before?.state.version === state.version) return false;
    if (position < (before?.position ?? 0) || position > (after?.position ?? Infinity))
      return false;
    const record = {
      position,
      state: this.rules.kept(state, before?.state),
      knownTo: position,
    };
    this.records.splice(behind + 1, 0, record);
    if (after !== undefined) return false;
    if (this.records.length > MAX_HELD_STATES) this.records.shift();
    if (before === undefined || this.isContinued(before, record)) return before === undefined;
    const knownTo = Math.min(position - 1, Math.max(before.position, settled));
    this.records[this.records.length - 2] = { ...before, knownTo };
    return true;
  }

  /**
   * Adds older states from elsewhere.
   *
   * @param upTo the position up to which there are no others behind the first of them; without any: none at all.
   */
  learn(records: readonly HistoricalRecord<State>[], upTo: number): void {
    const newest = this.records.at(-1)?.state.version ?? 0;
    for (const record of records) if (record.state.version < newest) this.add(record, 0);
    const index = indexAt(this.records, upTo);
    const last = this.records[index];
    const knownTo = Math.min(upTo, (this.records[index + 1]?.position ?? Infinity) - 1);
    if (last === undefined) {
      if (records.length === 0) this.absentTo = Math.max(this.absentTo, knownTo);
    } else if (records.some(({ state }) => state.version === last.state.version)) {
      this.records[index] = { ...last, knownTo: Math.max(last.knownTo, knownTo) };
    }
  }

  /** How many states are held. */
  get length(): number {
    return this.records.length;
  }

  /** @returns undefined when it was not there then, or was deleted; `unknown` when it is not known what it was. */
  at(position: number): State | undefined | 'unknown' {
    const index = indexAt(this.records, position);
    if (!this.isKnown(index, position)) return 'unknown';
    const state = this.records[index]?.state;
    return state?.deleted === false ? state : undefined;
  }

  /** For how long events have gone the way that they went at the position, as far as that is known. */
  spanAt(position: number): Span {
    const index = indexAt(this.records, position);
    if (!this.isKnown(index, position)) return { from: position, until: position + 1 };
    return { from: this.sinceOf(index), until: this.untilOf(index) };
  }

  /** Drops what held only before the position. */
  forgetBefore(position: number): void {
    const index = indexAt(this.records, position);
    if (index > 0) this.records = this.records.slice(index);
  }

  private isKnown(index: number, position: number): boolean {
    const record = this.records[index];
    const after = this.records[index + 1];
    if (after === undefined) return true;
    if (record === undefined) return after.state.version === 1 || position <= this.absentTo;
    return isNext(record, after) || position <= record.knownTo;
  }

  private sinceOf(index: number): number {
    let since = this.records[index];
    if (since === undefined) return 0;
    for (let earlier = index - 1; earlier >= 0; earlier -= 1) {
      const record = this.records[earlier];
      if (record === undefined || !this.isContinued(record, since)) break;
      since = record;
    }
    return since.position;
  }

  private untilOf(index: number): number {
    for (let later = index; later < this.records.length - 1; later += 1) {
      const record = this.records[later];
      const after = this.records[later + 1];
      if (after === undefined) break;
      if (record === undefined)
        return after.state.version === 1 ? after.position : this.absentTo + 1;
      if (!isNext(record, after)) return record.knownTo + 1;
      if (!this.rules.areAlike(record.state, after.state)) return after.position;
    }
    return Infinity;
  }

  private isContinued(record: HistoricalRecord<State>, after: HistoricalRecord<State>): boolean {
    return isNext(record, after) && this.rules.areAlike(record.state, after.state);
  }
}

const isNext = (record: HistoricalRecord<Versioned>, after: HistoricalRecord<Versioned>): boolean =>
  after.state.version === record.state.version + 1;
