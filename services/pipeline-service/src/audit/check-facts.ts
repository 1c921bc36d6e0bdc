import {
  type ChainHead,
  type ConfigurationFact,
  type ConfigurationState,
  PUBLISHED_PIPELINE_VERSIONS,
} from '@penstock/contracts';
import { CHAIN_START, chainHash } from '@penstock/event-sourcing';
import { type Differences, PositionSet } from '@penstock/platform';
import { aggregateOf } from '../domain/aggregates';
import type { FactInStream } from './stored-facts';

/** The state after a fact, by the present rules; undefined where they cannot apply it. */
const stateAfter = ({
  stream,
  type,
  data,
  before,
}: FactInStream): ConfigurationState | undefined => {
  const aggregate = aggregateOf(stream);
  const fact = { type, data: JSON.parse(data) as unknown } as ConfigurationFact;
  try {
    return aggregate?.evolve(before ?? aggregate.initial, fact) ?? undefined;
  } catch {
    return undefined;
  }
};

/**
 * Whether the compacted topic must hold the state after the fact: the newest one, of a pipeline the newest versions.
 */
const isHeld = ({ state, later }: FactInStream): boolean =>
  later < (state.kind === 'pipeline' ? PUBLISHED_PIPELINE_VERSIONS : 1);

/**
 * Checks facts in order, each against the one before it: positions and versions without a gap, times in order, the
 * chain of hashes, and the stored state as that which the fact makes of the state before it.
 */
export class FactChecks {
  /** The facts whose states the compacted topic is to hold. */
  readonly newest = new PositionSet();
  private readonly hashes = new Map<string, ChainHead>();
  private position = 0;
  private time = '';
  private created = 0;

  constructor(private readonly differences: Differences) {}

  /** The number of objects, deleted ones included. */
  get objects(): number {
    return this.created;
  }

  take(fact: FactInStream): void {
    this.checkPosition(fact.position - 1);
    this.position = fact.position;
    this.checkPlace(fact);
    this.checkHash(fact);
    const state = stateAfter(fact);
    if (state === undefined)
      this.report(fact.position, `cannot be applied: ${fact.type} of ${fact.stream}`);
    else this.differences.compare(this.at(fact.position), { state }, { state: fact.state });
    if (fact.version === 1) this.created += 1;
    if (isHeld(fact)) this.newest.add(fact.position);
  }

  /** Checks the end: the last position and the chains. */
  end(position: number, chains: ReadonlyMap<string, ChainHead>): void {
    this.checkPosition(position);
    this.differences.compareAll((owner) => `penstock.chains ${owner}`, this.hashes, chains);
  }

  private checkPosition(upTo: number): void {
    for (let missing = this.position + 1; missing <= upTo; missing += 1)
      this.report(missing, 'is missing');
  }

  private checkPlace({
    position,
    stream,
    version,
    before,
    time,
    effectiveTime,
  }: FactInStream): void {
    if (before === null && version !== 1)
      this.report(position, `is version ${String(version)} of ${stream}, without the one before`);
    const expected = time > this.time ? time : this.time;
    // A query as of a time may have moved the clock forward, so that a later time is in order too.
    if (effectiveTime < expected) this.report(position, 'is not in the order of times');
    this.time = effectiveTime > expected ? effectiveTime : expected;
  }

  private checkHash(fact: FactInStream): void {
    const { owner, position, hash, data } = fact;
    const previous = this.hashes.get(owner)?.hash ?? CHAIN_START;
    if (chainHash(previous, fact, data) !== hash) this.report(position, 'does not match its hash');
    this.hashes.set(owner, { position, hash });
  }

  private report(position: number, what: string): void {
    this.differences.report(this.at(position), what);
  }

  private at(position: number): string {
    return `penstock.facts position ${String(position)}`;
  }
}
