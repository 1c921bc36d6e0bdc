import { answering, type Behaviour, hanging, healthy, limiting, refusing } from './behaviours';
import { sized } from './sizes';
import { type EventName, type FanOutEvent, nameOf } from './fan-out-event';

/** A temporary behaviour of a destination. */
interface Trouble {
  readonly behaviour: Behaviour;
  /** Whether its lane stays paused until the connection is updated. */
  readonly needsUpdate?: boolean;
}

/** A destination of the plan. */
export interface PlannedDestination {
  readonly name: string;
  /** Events per request. */
  readonly batchSize: number;
  /** Time limit of a request in seconds; default: 30. */
  readonly timeoutS?: number;
  /** Its behaviour without trouble. */
  readonly usual: Behaviour;
  /** Events that it rejects; default: none. */
  readonly isRefused?: (event: FanOutEvent) => boolean;
  /** Its temporary behaviours. */
  readonly troubles: readonly Trouble[];
}

/** A pipeline of the plan. */
export interface PlannedPipeline {
  readonly name: string;
  /** Index of the destination. */
  readonly destination: number;
  readonly transformation: 'mapping' | 'function';
  /** Names that its filter matches; absent: it has no filter. */
  readonly only?: readonly EventName[];
  /** Default true. */
  readonly enabled?: boolean;
  /** Message of the error that its function throws for a bad event; default: a plain one. */
  readonly throws?: string;
}

/** Sources, destinations, links and pipelines of an installation under test. */
export interface Plan {
  /** Indexes of the linked destinations, for each source. */
  readonly sources: readonly (readonly number[])[];
  readonly destinations: readonly PlannedDestination[];
  readonly pipelines: readonly PlannedPipeline[];
}

const isPicked = ({ user, number }: FanOutEvent): boolean => (7 * user + number) % 25 === 3;

/** Three sources, six destinations of which five have troubles, twelve pipelines. */
export const PLAN: Plan = {
  sources: [
    [0, 1, 2, 3, 4, 5],
    [0, 1, 2, 3],
    [2, 3, 4, 5],
  ],
  destinations: [
    { name: 'healthy', batchSize: 100, usual: healthy(), troubles: [] },
    {
      name: 'picky',
      batchSize: 1,
      usual: refusing(isPicked),
      isRefused: isPicked,
      troubles: [{ behaviour: answering(500) }],
    },
    {
      name: 'failing',
      batchSize: 20,
      usual: healthy(),
      troubles: [{ behaviour: answering(500) }, { behaviour: answering(503) }],
    },
    {
      name: 'limited',
      batchSize: 50,
      usual: healthy(),
      troubles: [{ behaviour: limiting(1) }, { behaviour: answering(401), needsUpdate: true }],
    },
    {
      name: 'slow',
      batchSize: 100,
      usual: healthy(100),
      troubles: [{ behaviour: healthy(1_000) }],
    },
    {
      name: 'hanging',
      batchSize: 50,
      // While other tests run, a healthy server may answer late; after a time-out its events would be repeated.
      timeoutS: sized(5, 2),
      usual: healthy(),
      troubles: [{ behaviour: hanging }],
    },
  ],
  pipelines: [
    { name: 'healthy-all', destination: 0, transformation: 'mapping' },
    { name: 'healthy-buy', destination: 0, transformation: 'mapping', only: ['Buy'] },
    { name: 'picky-all', destination: 1, transformation: 'mapping' },
    { name: 'picky-look', destination: 1, transformation: 'mapping', only: ['Look'] },
    { name: 'failing-all', destination: 2, transformation: 'mapping' },
    { name: 'failing-buy', destination: 2, transformation: 'function', only: ['Buy', 'Bad'] },
    { name: 'limited-all', destination: 3, transformation: 'mapping' },
    { name: 'limited-off', destination: 3, transformation: 'mapping', enabled: false },
    { name: 'slow-all', destination: 4, transformation: 'function' },
    { name: 'slow-scroll', destination: 4, transformation: 'mapping', only: ['Scroll'] },
    { name: 'hanging-look', destination: 5, transformation: 'mapping', only: ['Look', 'Scroll'] },
    { name: 'hanging-buy', destination: 5, transformation: 'function', only: ['Buy'] },
  ],
};

/** The final ending of an event for a pipeline. */
export type PlannedEnding =
  | 'Delivered'
  | 'Filtered'
  | 'Filtered Disabled'
  | 'Rejected by the function'
  | 'Rejected 400';

/**
 * The ending of an event for a pipeline, computed from the plan alone, without code of the product.
 *
 * @returns undefined when its source is not linked to the pipeline's destination: it is not counted there.
 */
export const plannedEnding = (
  { sources, destinations }: Plan,
  { destination, transformation, only, enabled = true }: PlannedPipeline,
  event: FanOutEvent,
): PlannedEnding | undefined => {
  if (!sources[event.source]?.includes(destination)) return undefined;
  if (!enabled) return 'Filtered Disabled';
  const name = nameOf(event);
  if (only !== undefined && !only.includes(name)) return 'Filtered';
  if (transformation === 'function' && name === 'Bad') return 'Rejected by the function';
  return destinations[destination]?.isRefused?.(event) ? 'Rejected 400' : 'Delivered';
};
