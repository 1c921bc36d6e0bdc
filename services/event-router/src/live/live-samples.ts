import {
  instant,
  type LiveRouting,
  liveSealContext,
  type EventPipelineState,
  type Sealed,
} from '@penstock/contracts';
import type { RecordValue } from '@penstock/schema';
import type { IncomingEvent } from '../routing/incoming-event';
import type { Routes } from '../routing/routes';
import type { SourceRoutes } from '../routing/source-routes';
import type { BaseKind, OutcomeRecord } from '../store/changes';
import { connectionOf } from '../store/lane-id';
import { LiveBudget } from './live-budget';
import { LiveInterests } from './live-interests';
import { LiveOutbox, type LiveOutboxContext } from './live-outbox';
import { SampledEvents } from './sampled-events';

export interface LiveSamplesContext extends LiveOutboxContext {
  /** Seals the text of an event under the key of its workspace. @throws when the workspace has none any more. */
  readonly seal: (text: string, workspace: string, context: string) => Sealed;
}

const placeOf = (partition: number, offset: number): string =>
  `${String(partition)}/${String(offset)}`;

/** Samples events as they pass, and how their deliveries end, while somebody watches. */
export class LiveSamples {
  readonly interests: LiveInterests;
  private readonly budget: LiveBudget;
  private readonly sampled = new SampledEvents();
  private readonly outbox: LiveOutbox;

  constructor(private readonly context: LiveSamplesContext) {
    const nowMs = (): number => context.clock.nowMs();
    this.interests = new LiveInterests(nowMs);
    this.budget = new LiveBudget(nowMs);
    this.outbox = new LiveOutbox(context);
  }

  /**
   * Call it for every event that is routed; does nothing while nobody watches.
   *
   * @param all has the routes of the event.
   */
  routed(
    partition: number,
    incoming: IncomingEvent,
    receipt: BaseKind,
    all: Pick<Routes, 'at'>,
  ): void {
    if (this.interests.areNone || receipt === 'Suppressed') return;
    const { workspace, source } = incoming.head;
    const watched = this.interests.of(workspace);
    if (watched === undefined) return;
    const routes = all.at(source, incoming.head.seen);
    if (!watched.include(routes)) return;
    if (!this.budget.hasRoom(workspace)) return this.outbox.leaveOut(workspace, source);
    const { event } = incoming;
    if (event === undefined) return;
    this.sample(
      partition,
      incoming,
      receipt,
      receipt === 'New' ? routingOf(incoming, event, routes) : [],
    );
  }

  /** Call it for every delivery that has ended; does nothing while none of a sampled event is open. */
  ended(
    partition: number,
    outcome: OutcomeRecord,
    { workspace, connection }: EventPipelineState,
  ): void {
    if (this.sampled.areNone) return;
    const source = this.sampled.end(partition, outcome.offset);
    if (source === undefined) return;
    const { offset, atMs, status, made: _, ...ended } = outcome;
    this.outbox.add({
      kind: 'outcome',
      workspace,
      source,
      event: placeOf(partition, offset),
      connection,
      ...ended,
      status: status === 0 ? null : status,
      at: instant(new Date(atMs)),
    });
  }

  /** Forgets what is not watched any more; call it every second. */
  lookAfter(): void {
    this.interests.expire();
    this.budget.lookAfter();
    if (this.interests.areNone) this.sampled.clear();
  }

  /** Nothing is appended afterwards. */
  stop(): void {
    this.outbox.stop();
  }

  private sample(
    partition: number,
    { head: { workspace, source }, record: { offset }, eventText }: IncomingEvent,
    receipt: Exclude<BaseKind, 'Suppressed'>,
    pipelines: readonly LiveRouting[],
  ): void {
    const event = placeOf(partition, offset);
    const open = pipelines.filter(({ state }) => state === 'Open').length;
    this.budget.take(workspace, { records: 1 + open, bytes: eventText.length });
    this.sampled.add(partition, offset, { source, open });
    const sealed = this.sealedText(eventText, { workspace, event });
    if (sealed === undefined) return;
    this.outbox.add({ kind: 'event', workspace, source, event, receipt, pipelines, sealed });
  }

  /** Undefined: the workspace has been deleted, and its key with it. */
  private sealedText(text: string, of: Parameters<typeof liveSealContext>[0]): Sealed | undefined {
    try {
      return this.context.seal(text, of.workspace, liveSealContext(of));
    } catch {
      return undefined;
    }
  }
}

/** What each pipeline makes of the event, those of detached lanes included. */
const routingOf = (
  { head }: IncomingEvent,
  event: RecordValue,
  routes: SourceRoutes,
): readonly LiveRouting[] => {
  const optedOut = routes.optedOut(head.integrations);
  const matches = new Set(routes.match(head, event).map(({ pipeline }) => pipeline));
  return routes.lanes.flatMap(({ lane, pipelines, disabled }): LiveRouting[] => [
    ...pipelines.map((pipeline): LiveRouting => {
      const { id, version } = pipeline.state;
      const of = { pipeline: id, version, connection: connectionOf(lane, routes.source) };
      if (matches.has(pipeline)) return { ...of, state: 'Open', code: '' };
      return {
        ...of,
        state: 'Filtered',
        code: optedOut.has(lane) ? 'OptedOut' : 'NotMatched',
      };
    }),
    ...disabled.map((pipeline): LiveRouting => ({
      pipeline,
      version: null,
      connection: connectionOf(lane, routes.source),
      state: 'Filtered',
      code: 'Disabled',
    })),
  ]);
};
