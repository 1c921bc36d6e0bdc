import type { PipelineId } from '../ids';
import type { EventPipelineState } from '../state';
import { type Span, within } from './span';
import { type HistoricalRecord, type HistoryRules, StateHistory } from './state-history';

/** What is held of a version: which one it is. Its definition is found by that. */
type Version = Pick<EventPipelineState, 'version' | 'deleted'>;

/** Every version may send other events another way. */
const RULES: HistoryRules<Version> = {
  kept: ({ version, deleted }) => ({ version, deleted }),
  areAlike: () => false,
};

/** Finds the definition of a version; undefined when it is not held. */
export type FindVersion = (id: PipelineId, version: number) => EventPipelineState | undefined;

/** The versions of the pipelines of one connection, by the positions from which they held. */
export class PipelinesHistory {
  private readonly versions = new Map<PipelineId, StateHistory<Version>>();

  constructor(private readonly find: FindVersion) {}

  /** @returns whether it is the newest version of its pipeline. */
  add(position: number, state: EventPipelineState, settled: number): boolean {
    const history = this.versions.get(state.id) ?? new StateHistory(RULES);
    this.versions.set(state.id, history);
    return history.add({ position, state }, settled);
  }

  /** See {@link StateHistory.learn}; of a pipeline that is held. */
  learn(
    id: PipelineId,
    records: readonly HistoricalRecord<EventPipelineState>[],
    upTo: number,
  ): void {
    this.versions.get(id)?.learn(records, upTo);
  }

  /** The pipeline never was, as far as anybody may ask. */
  forget(id: PipelineId): void {
    this.versions.delete(id);
  }

  get isEmpty(): boolean {
    return this.versions.size === 0;
  }

  /** Each in the version of then, sorted by their ids; those that were deleted then are left out. */
  at(position: number): EventPipelineState[] | 'unknown' {
    const found: EventPipelineState[] = [];
    for (const [id, history] of this.versions) {
      const version = history.at(position);
      if (version === undefined) continue;
      const state = version === 'unknown' ? undefined : this.find(id, version.version);
      if (state === undefined) return 'unknown';
      found.push(state);
    }
    return found.sort((left, right) => (left.id < right.id ? -1 : 1));
  }

  /** The pipelines of which it is not known, or not held, what they were at the position. */
  unknownAt(position: number, isHeld: (id: PipelineId, version: number) => boolean): PipelineId[] {
    return [...this.versions].flatMap(([id, history]) => {
      const version = history.at(position);
      if (version === undefined) return [];
      return version === 'unknown' || !isHeld(id, version.version) ? [id] : [];
    });
  }

  spanAt(position: number): Span {
    let span: Span = { from: 0, until: Infinity };
    for (const history of this.versions.values()) span = within(span, history.spanAt(position));
    return span;
  }

  forgetBefore(position: number): void {
    for (const history of this.versions.values()) history.forgetBefore(position);
  }
}
