import {
  type ConfigurationState,
  type DataKey,
  dataKeyKey,
  readDataKey,
  readState,
  stateKey,
  type StateRecord,
  TOPIC,
  workspaceOfDataKey,
} from '@penstock/contracts';
import type { LogRecord } from '@penstock/messaging';
import { type Differences, PositionSet } from '@penstock/platform';
import type { StoredFacts } from './stored-facts';

/** Bounds memory: a state may have a megabyte. */
const POSITIONS_PER_QUERY = 40;

const where = (key: string): string => `${TOPIC.configurationState} ${key}`;

interface KeyedState {
  readonly key: string;
  /** `null`: a tombstone. */
  readonly record: StateRecord | null;
}

/**
 * Compares the records of the `configuration.state` topic with the stored states. The last record of each key, which
 * compaction keeps, must be that of the key's newest fact. Changes during the verification are ignored.
 */
export class StateChecks {
  /** The newest facts whose record is the last of its key so far. */
  private readonly held = new PositionSet();
  private readonly dataKeys = new Map<string, DataKey>();
  /** Workspaces that were changed during the verification. */
  private readonly changed = new Set<string>();
  private last = 0;

  constructor(
    private readonly facts: StoredFacts,
    private readonly newest: PositionSet,
    private readonly differences: Differences,
  ) {}

  async take(records: readonly LogRecord[]): Promise<void> {
    const states: KeyedState[] = [];
    for (const record of records) {
      const { key, value } = record;
      const workspace = workspaceOfDataKey(key);
      if (workspace !== undefined) this.takeDataKey(workspace, record);
      else {
        const state = value === null ? null : readState(value);
        if (state === undefined || key.includes('\0')) this.reportForeign(record, 'a state');
        else states.push({ key, record: state });
      }
    }
    const positions = states.map(({ record }) => record?.position ?? 0);
    const stored = await this.facts.statesAt(positions);
    const newestOf = await this.facts.newestOf(this.outOfOrder(states));
    for (const state of states)
      this.takeState(state, newestOf.get(state.key), stored.get(state.record?.position ?? 0));
  }

  async end(dataKeys: ReadonlyMap<string, DataKey>): Promise<void> {
    const missing = [...this.newest.without(this.held)];
    for (let from = 0; from < missing.length; from += POSITIONS_PER_QUERY) {
      const page = missing.slice(from, from + POSITIONS_PER_QUERY);
      const stored = await this.facts.statesAt(page);
      const forgotten = await this.facts.forgotten(page);
      for (const [position, state] of stored)
        if (!forgotten.has(position) && !this.changed.has(state.id))
          this.differences.report(where(stateKey(state)), 'has not its newest state');
    }
    const unchanged = <Value>(keys: ReadonlyMap<string, Value>): Map<string, Value> =>
      new Map([...keys].filter(([workspace]) => !this.changed.has(workspace)));
    this.differences.compareAll(
      (workspace: string) => where(dataKeyKey(workspace)),
      unchanged(dataKeys),
      unchanged(this.dataKeys),
    );
  }

  private takeDataKey(workspace: string, record: LogRecord): void {
    const { value } = record;
    const dataKey = value === null ? null : readDataKey(value);
    if (dataKey === undefined) this.reportForeign(record, 'a data key');
    else if (dataKey === null) this.dataKeys.delete(workspace);
    else this.dataKeys.set(workspace, dataKey);
  }

  private reportForeign({ offset }: LogRecord, what: string): void {
    const at = `${TOPIC.configurationState} offset ${String(offset)}`;
    this.differences.report(at, `is not ${what}`);
  }

  /** Keys of records that are not in the order of positions, or beyond the verified ones. */
  private outOfOrder(states: readonly KeyedState[]): string[] {
    let { last } = this;
    return states
      .filter(({ record }) => {
        const position = record?.position ?? 0;
        const isNext = position >= last && position <= this.facts.last;
        if (isNext) last = position;
        return !isNext;
      })
      .map(({ key }) => key);
  }

  private takeState(
    { key, record }: KeyedState,
    newest: number | undefined,
    stored: ConfigurationState | undefined,
  ): void {
    if (record === null) {
      if (newest !== undefined) this.held.delete(newest);
      return;
    }
    const { position, state } = record;
    if (position > this.facts.last) {
      // Compaction may have removed the record that this one replaces.
      if (newest !== undefined) this.held.add(newest);
      this.changed.add(state.id);
      return;
    }
    if (stored === undefined || stateKey(stored) !== key)
      return this.differences.report(where(key), 'should not be there');
    this.differences.compare(where(key), { state: stored }, { state });
    if (newest !== undefined && newest !== position) this.held.delete(newest);
    else if (this.newest.has(position)) this.held.add(position);
    this.last = Math.max(this.last, position);
  }
}
