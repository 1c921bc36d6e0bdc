import {
  type ConfigurationFact,
  type ConfigurationState,
  type RecordedFact,
  stateKey,
  type StateRecord,
  TOPIC,
} from '@penstock/contracts';
import { aggregateOf } from '../domain/aggregates';
import type { Difference } from './difference';

/** What facts add up to. */
export interface Rebuilt {
  /** By stream. */
  readonly newest: ReadonlyMap<string, ConfigurationState>;
  /** By key of the `configuration.state` topic. */
  readonly records: ReadonlyMap<string, StateRecord>;
  /** After each fact, by position. */
  readonly states: ReadonlyMap<number, ConfigurationState>;
  readonly differences: readonly Difference[];
}

/** From the facts alone, in the order of their positions, by the present rules. */
export const rebuild = (facts: readonly RecordedFact[]): Rebuilt => {
  const newest = new Map<string, ConfigurationState>();
  const versions = new Map<string, number>();
  const records = new Map<string, StateRecord>();
  const states = new Map<number, ConfigurationState>();
  const differences: Difference[] = [];
  for (const { position, stream, version, type, data } of facts) {
    const report = (what: string): void =>
      void differences.push({ where: `${TOPIC.configuration} position ${String(position)}`, what });
    const expected = (versions.get(stream) ?? 0) + 1;
    versions.set(stream, version);
    if (version !== expected)
      report(`is version ${String(version)} of ${stream}, after version ${String(expected - 1)}`);
    const aggregate = aggregateOf(stream);
    const fact = { type, data } as ConfigurationFact;
    const state = aggregate?.evolve(newest.get(stream) ?? aggregate.initial, fact) ?? null;
    if (state === null) {
      report(`cannot be applied: ${type} of ${stream}`);
      continue;
    }
    newest.set(stream, state);
    states.set(position, state);
    records.set(stateKey(state), { position, state });
  }
  return { newest, records, states, differences };
};
