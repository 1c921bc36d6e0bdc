import type { Suppressions } from '@penstock/contracts';
import { HeldEvent, ownKeyOf } from '../lanes/held-event';
import type { Lane } from '../lanes/lane';
import type { LaneId } from '../store/lane-id';
import type { LanePart } from '../lanes/lane-part';
import type { MemoryBudget } from '../progress/memory-budget';
import type { OwnedPartition } from '../progress/owned-partition';
import type { SteadyWall } from '../progress/steady-wall';
import { audienceOf } from '../routing/audience-of';
import type { IncomingEvent } from '../routing/incoming-event';
import { isOfSuppressed } from '../routing/is-of-suppressed';
import type { Routes } from '../routing/routes';
import type { SourceRoutes } from '../routing/source-routes';
import type { BaseKind, Ending } from '../store/changes';
import type { Place } from './place';
import { reportUnreadable } from './report-unreadable';

const OPTED_OUT: Ending = { state: 'Filtered', step: 'Filter', code: 'OptedOut', reason: '' };

export interface DistributionContext {
  readonly routes: Routes;
  readonly suppressions: Suppressions;
  readonly budget: MemoryBudget;
  readonly wall: SteadyWall;
  readonly lane: (lane: LaneId) => Lane;
  readonly onError: (error: unknown) => void;
}

/**
 * Gives an event to its lanes, by the configuration at its stamp, and counts it. The event is parsed only when a lane
 * needs it: while all its lanes are detached, the live reader does not parse it.
 */
export class Distribution {
  constructor(private readonly context: DistributionContext) {}

  /** Whether the event is of a user who is suppressed now. */
  isSuppressed(incoming: IncomingEvent): boolean {
    const { suppressions } = this.context;
    const { workspace } = incoming.head;
    if (!suppressions.hasAny(workspace)) return false;
    const { event } = incoming;
    return event !== undefined && isOfSuppressed(suppressions, workspace, event);
  }

  /** Counts the event for its source and gives it to all attached lanes. Call it once for each event. */
  toAttached(partition: OwnedPartition, incoming: IncomingEvent, kind: BaseKind): void {
    const { routes, lane } = this.context;
    const { source, seen } = incoming.head;
    partition.source(source, kind, this.context.wall.nowMs());
    const sourceRoutes = routes.at(source, seen);
    const { detachedLanes } = partition.cursors;
    const isWanted = (id: LaneId): boolean => !detachedLanes.has(id);
    if (!sourceRoutes.lanes.some((each) => isWanted(each.lane))) return;
    if (kind === 'New' && incoming.event === undefined) return this.report(partition, incoming);
    partition.base(audienceOf(sourceRoutes, detachedLanes), kind, this.context.wall.nowMs());
    if (kind !== 'New') return;
    const given = this.give(partition, incoming, sourceRoutes, isWanted);
    for (const part of given) {
      const owner = lane(part.lane);
      if (owner.isOverfull(part)) owner.detach(part, incoming.record.offset + 1);
    }
  }

  /** Gives the event to one detached lane. */
  toLane(part: LanePart, incoming: IncomingEvent): void {
    const { partition, lane } = part;
    const { source, seen } = incoming.head;
    const sourceRoutes = this.context.routes.at(source, seen);
    if (!sourceRoutes.lanes.some((each) => each.lane === lane)) return;
    const kind = partition.repeats.kindOf(incoming.record.offset);
    if (kind === 'New' && incoming.event === undefined) return this.report(partition, incoming);
    partition.base(audienceOf(sourceRoutes, lane), kind, this.context.wall.nowMs());
    if (kind === 'New') this.give(partition, incoming, sourceRoutes, (id) => id === lane);
  }

  /** Gives the event to one detached key; it was counted when the lane was given it. */
  toKey({ part, detachment }: Place, orderKey: string, incoming: IncomingEvent): void {
    const { event, head } = incoming;
    const { offset } = incoming.record;
    if (event === undefined || part.partition.repeats.kindOf(offset) !== 'New') return;
    const isOfKey =
      incoming.orderKey === orderKey ||
      orderKey === ownKeyOf({ orderKey: incoming.orderKey, offset });
    if (!isOfKey) return;
    const lane = this.context.lane(part.lane);
    const routes = this.context.routes.at(head.source, head.seen);
    const held = this.hold(part.partition, incoming);
    for (const { pipeline } of routes.match(head, event, (id) => id === part.lane)) {
      part.partition.cursors.pay(detachment.cursor, pipeline.state.id);
      lane.giveAgain(part, held, pipeline);
    }
  }

  /** Creates the event's entry in memory, which deliveries hold. */
  hold(partition: OwnedPartition, incoming: IncomingEvent): HeldEvent {
    const { orderKey, event = {}, eventText, receivedAtMs, traceparent } = incoming;
    const { offset, value } = incoming.record;
    const body = value ?? '';
    const read = { partition, offset, orderKey, event, eventText, body, receivedAtMs, traceparent };
    return new HeldEvent(read, this.context.budget);
  }

  private give(
    partition: OwnedPartition,
    incoming: IncomingEvent,
    routes: SourceRoutes,
    isWanted: (lane: LaneId) => boolean,
  ): ReadonlySet<LanePart> {
    const { head, event } = incoming;
    const given = new Set<LanePart>();
    if (event === undefined) return given;
    this.countOptedOut(partition, incoming, routes, isWanted);
    const { offset } = incoming.record;
    let held: HeldEvent | undefined;
    for (const { lane: id, pipeline } of routes.match(head, event, isWanted)) {
      if (partition.earlier.hasRow({ offset, pipeline: pipeline.state.id })) continue;
      held ??= this.hold(partition, incoming);
      const lane = this.context.lane(id);
      const part = lane.part(partition);
      lane.give(part, held, pipeline);
      given.add(part);
    }
    return given;
  }

  /** Reports a record with a readable head and an invalid event. Each lane may report it; it is stored once. */
  private report(partition: OwnedPartition, { record, fault }: IncomingEvent): void {
    reportUnreadable(partition, record, fault, this.context.onError);
  }

  private countOptedOut(
    partition: OwnedPartition,
    { head: { integrations } }: IncomingEvent,
    routes: SourceRoutes,
    isWanted: (lane: LaneId) => boolean,
  ): void {
    if (integrations === null) return;
    const optedOut = routes.optedOut(integrations);
    const nowMs = this.context.wall.nowMs();
    for (const { lane, pipelines } of routes.lanes)
      if (optedOut.has(lane) && isWanted(lane))
        for (const { state } of pipelines) partition.count(state.id, OPTED_OUT, nowMs);
  }
}
