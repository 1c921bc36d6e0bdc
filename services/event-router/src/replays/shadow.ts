import type { Suppressions } from '@penstock/contracts';
import type { RecordValue } from '@penstock/schema';
import type { Incoming } from '../routing/incoming';
import type { IncomingEvent } from '../routing/incoming-event';
import { isOfSuppressed } from '../routing/is-of-suppressed';
import type { CompiledPipeline } from '../routing/compiled-pipeline';
import type { Routes } from '../routing/routes';
import type { SourceRoutes } from '../routing/source-routes';
import { FunctionQueue, type FunctionQueueContext } from '../sending/function-queue';
import { unlessAborted } from '../time/aborted';
import { makeWay } from './make-way';
import type { Counts } from './replay-job';
import { type RecordedOutcomes, RecordedOfSlice } from './recorded-outcomes';
import {
  mappedResult,
  recordedResult,
  type ReplayResult,
  resultOf,
  UNMATCHED,
} from './replay-result';
import type { ReplayedPipeline } from './replayed-pipeline';
import type { RepeatedIds } from './repeated-ids';

export interface ShadowContext extends FunctionQueueContext {
  readonly routes: Pick<Routes, 'prepare' | 'at'>;
  readonly suppressions: Suppressions;
  readonly recorded: RecordedOutcomes;
  /** Milliseconds by which the live reader of this process lags; 0: it has had nothing to do lately. */
  readonly liveLagMs: () => number;
}

/** An event of a replay, with what was made of it and what would be. */
export interface ShadowedEvent {
  readonly incoming: IncomingEvent;
  readonly before: ReplayResult;
  /** The version that it was routed by; undefined: it was not matched. */
  readonly routed: CompiledPipeline | undefined;
  readonly now: ReplayResult;
}

/** What is known about the records of a slice. */
interface Known {
  readonly repeated: RepeatedIds;
  readonly recorded: RecordedOfSlice;
}

interface Now {
  readonly now: ReplayResult | Promise<ReplayResult>;
}

/** Longest time of work before live events may go first. */
const STRETCH_MS = 2;

/** Passes events through a pipeline without sending anything, beside what it made of them when they were routed. */
export class Shadow {
  private readonly queue: FunctionQueue | undefined;
  private readonly routedBy = new WeakMap<
    SourceRoutes,
    { pipeline: CompiledPipeline | undefined }
  >();

  constructor(
    private readonly context: ShadowContext,
    private readonly replayed: ReplayedPipeline,
  ) {
    const batch = replayed.compiled.function;
    this.queue = batch === null ? undefined : new FunctionQueue(batch, context);
  }

  /**
   * The events of the replay among the records, in no particular order.
   *
   * @param repeated of the partition of the records, as of the first of them.
   * @param counts what is no event of the replay is added to it.
   * @throws Error when the configuration or its history is unavailable; the signal's reason.
   */
  async pass(
    records: readonly Incoming[],
    repeated: RepeatedIds,
    counts: Counts,
    signal: AbortSignal,
  ): Promise<ShadowedEvent[]> {
    const events = this.eventsOf(records, counts);
    const { clock, liveLagMs } = this.context;
    const recorded = new RecordedOfSlice(this.context.recorded, this.replayed.id, records);
    const passed: ShadowedEvent[] = [];
    const pending: Promise<unknown>[] = [];
    let sinceMs = clock.nowMs();
    let prepared = 0;
    for (const [index, incoming] of events.entries()) {
      if (index === prepared) {
        prepared += await this.prepare(events.slice(index));
        sinceMs = clock.nowMs();
      }
      const shadowed = this.passOne(incoming, { repeated, recorded }, counts);
      if (shadowed instanceof Promise) {
        const added = shadowed.then((each) => passed.push(each));
        // It is waited for below, unless this is given up before.
        added.catch(() => undefined);
        pending.push(added);
      } else if (shadowed !== undefined) passed.push(shadowed);
      if (clock.nowMs() - sinceMs < STRETCH_MS) continue;
      await makeWay(clock, liveLagMs(), clock.nowMs() - sinceMs);
      signal.throwIfAborted();
      sinceMs = clock.nowMs();
    }
    await unlessAborted(signal, Promise.all(pending));
    return passed;
  }

  /** Gives up what its function has not returned yet. */
  stop(): void {
    this.queue?.stop();
  }

  /** @returns the number of the first events that it was done for. */
  private prepare(events: readonly IncomingEvent[]): Promise<number> {
    return this.context.routes.prepare(events.map(({ head }) => head));
  }

  private eventsOf(records: readonly Incoming[], counts: Counts): IncomingEvent[] {
    const events: IncomingEvent[] = [];
    for (const record of records)
      if (record.kind === 'unreadable') counts.unreadable += 1;
      else if (this.replayed.sources.has(record.head.source)) events.push(record);
    return events;
  }

  private passOne(
    incoming: IncomingEvent,
    { repeated, recorded }: Known,
    counts: Counts,
  ): ShadowedEvent | Promise<ShadowedEvent> | undefined {
    const { head, record } = incoming;
    if (repeated.isRepeated(incoming.hash, record.offset)) {
      counts.duplicates += 1;
      return undefined;
    }
    const { event } = incoming;
    if (event === undefined) {
      counts.unreadable += 1;
      return undefined;
    }
    if (isOfSuppressed(this.context.suppressions, head.workspace, event)) {
      counts.suppressed += 1;
      return undefined;
    }
    return this.replayed.isWanted(event) ? this.shadowed(incoming, event, recorded) : undefined;
  }

  private shadowed(
    incoming: IncomingEvent,
    event: RecordValue,
    recorded: RecordedOfSlice,
  ): ShadowedEvent | Promise<ShadowedEvent> {
    const { head } = incoming;
    const routes = this.context.routes.at(head.source, head.seen);
    if (routes.optedOut(head.integrations).has(this.replayed.lane))
      return { incoming, before: UNMATCHED, routed: undefined, now: UNMATCHED };
    const known = this.routed(routes);
    const routed = known?.matches(event) === true ? known : undefined;
    const now = this.now(event);
    if (!(now instanceof Promise) && (routed === undefined || routed.function === null))
      return { incoming, before: this.before(routed, event, now), routed, now };
    return this.whenKnown({ incoming, routed, now }, event, recorded);
  }

  /** What the replayed version makes of the event. */
  private now(event: RecordValue): ReplayResult | Promise<ReplayResult> {
    const { compiled } = this.replayed;
    if (!compiled.matches(event)) return UNMATCHED;
    if (this.queue === undefined) return mappedResult(compiled, event);
    return this.functionResult(this.queue, event);
  }

  /** What takes time: a function, or what is on record of one. */
  private async whenKnown(
    { incoming, routed, now }: Pick<ShadowedEvent, 'incoming' | 'routed'> & Now,
    event: RecordValue,
    recorded: RecordedOfSlice,
  ): Promise<ShadowedEvent> {
    const result = await now;
    if (routed === undefined || routed.function === null)
      return { incoming, before: this.before(routed, event, result), routed, now: result };
    const outcomes = await recorded.of(incoming.record.offset);
    const before = recordedResult(outcomes, routed.state.version);
    return { incoming, before, routed, now: result };
  }

  /** Of a mapping. @param now is also what the same version made of the event before. */
  private before(
    routed: CompiledPipeline | undefined,
    event: RecordValue,
    now: ReplayResult,
  ): ReplayResult {
    if (routed === undefined) return UNMATCHED;
    if (routed.state.version === this.replayed.version) return now;
    return mappedResult(routed, event);
  }

  private functionResult(queue: FunctionQueue, record: RecordValue): Promise<ReplayResult> {
    return new Promise((resolve) => {
      queue.add({
        record,
        isVoid: () => false,
        onResult: (result) => {
          resolve(resultOf(this.replayed.compiled, result));
        },
      });
    });
  }

  /** The pipeline in the version by which events were routed that have these routes; undefined: it had none. */
  private routed(routes: SourceRoutes): CompiledPipeline | undefined {
    const known = this.routedBy.get(routes);
    if (known !== undefined) return known.pipeline;
    const { id, lane } = this.replayed;
    const own = routes.lanes.find((each) => each.lane === lane);
    const pipeline = own?.pipelines.find(({ state }) => state.id === id);
    this.routedBy.set(routes, { pipeline });
    return pipeline;
  }
}
