import {
  type ConnectionId,
  type ConnectionState,
  type PipelineId,
  type SendingPipelineState,
  suppressionId,
} from '@penstock/contracts';
import { onlyEvent } from '../pipelines.fixture';
import { CONNECTOR, keyedHash, type SimulatedConfiguration } from './configuration.fixture';
import type { Accepted } from './gateway.fixture';
import { gapsOf, isIn } from './gaps.fixture';
import type { Stored } from './storage.fixture';
import type { World } from './world.fixture';

/** An event with the facts that determine its allowed endings. */
export interface Judged extends Accepted {
  /** Whether an earlier event had the same message id, with the same or another body. */
  readonly repeats: 'same' | 'other' | undefined;
  /** Whether its user is suppressed; `maybe`: that has changed since it was accepted. */
  readonly suppressed: 'yes' | 'no' | 'maybe';
  /** Whether retention removed it before it was read. */
  readonly isUnread: boolean;
  /**
   * Whether it repeats an event that retention removed unread: a router that had read that event, and crashed before
   * its commit, has classified this one as a duplicate, and the next router has not.
   */
  readonly mayHaveRepeated: boolean;
}

/** Whether the event's user has been suppressed since its acceptance. */
export const suppressionOf = (
  configuration: SimulatedConfiguration,
  { workspace, user, seen }: Accepted,
): Judged['suppressed'] => {
  const states = configuration
    .since(suppressionId(keyedHash, workspace, user), seen)
    .map((state) => state?.kind === 'suppression' && state.suppressed);
  if (states.every((suppressed) => suppressed)) return 'yes';
  return states.includes(true) ? 'maybe' : 'no';
};

/** All events in the order of the log, with the facts about each. */
export const judge = ({ gateway, configuration, log }: World, stored: Stored): Judged[] => {
  const gaps = gapsOf(stored, log).filter(({ lane }) => lane === undefined);
  const digests = new Map<string, string>();
  const forgotten = new Set<string>();
  return [...gateway.accepted]
    .sort((a, b) => a.partition - b.partition || a.offset - b.offset)
    .map((event) => {
      const id = `${event.key} ${event.messageId}`;
      const digest = digests.get(id);
      const isUnread = gaps.some((gap) => isIn(gap, event));
      const mayHaveRepeated = forgotten.has(id);
      if (isUnread) forgotten.add(id);
      else if (digest === undefined) digests.set(id, event.digest);
      const repeats = digest === undefined ? undefined : digest === event.digest ? 'same' : 'other';
      const suppressed = suppressionOf(configuration, event);
      return { ...event, repeats, suppressed, isUnread, mayHaveRepeated };
    });
};

/** Whether the event opts out of the destination. */
export const isOptedOut = ({ integrations }: Accepted, lane: ConnectionId): boolean => {
  const { [lane]: own, [CONNECTOR]: connector, All: all } = integrations ?? {};
  return (own ?? connector ?? all) === false;
};

/**
 * - none: the event is not routed to the pipeline
 * - matched: the filter matches the event
 */
export type Way = 'none' | 'matched' | 'Filtered' | 'Filtered Disabled' | 'Filtered OptedOut';

/** How the event is routed by the configuration at its stamp, if it is new and its user is not suppressed. */
export const wayOf = (
  configuration: SimulatedConfiguration,
  event: Accepted,
  id: PipelineId,
): Way => {
  const pipeline = configuration.at(id, event.seen) as SendingPipelineState | undefined;
  const source = configuration.at(event.source, event.seen) as ConnectionState | undefined;
  if (pipeline === undefined || pipeline.deleted || source === undefined) return 'none';
  const lane = configuration.at(pipeline.connection, event.seen) as ConnectionState | undefined;
  if (lane === undefined || lane.deleted || !source.links.includes(lane.id)) return 'none';
  if (!pipeline.enabled) return 'Filtered Disabled';
  if (isOptedOut(event, lane.id)) return 'Filtered OptedOut';
  const isWanted = pipeline.filter === null || pipeline.filter === onlyEvent(event.name);
  return isWanted ? 'matched' : 'Filtered';
};
