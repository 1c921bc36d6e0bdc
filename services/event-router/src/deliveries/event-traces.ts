import { Refusal, type TraceView } from '@penstock/contracts';
import { LogUnavailable } from '@penstock/messaging';
import { unavailable } from '@penstock/platform';
import type { Pool } from 'pg';
import { ownKeyOf } from '../lanes/held-event';
import { isOfSuppressed } from '../routing/is-of-suppressed';
import { findEvents, type FoundEvents, type TraceRequest } from '../tracing/find-event';
import type { FoundEvent } from '../tracing/locate-event';
import { type RoutedPipeline, routedPipelines } from '../tracing/routed-pipelines';
import { TraceReads } from '../tracing/trace-reads';
import { fittingPipelines } from './fitting-pipelines';
import { MASKED_VALUES, PLAIN_VALUES } from './shown-values';
import { storedOfEvent } from './stored-of-event';
import type { TracedFrom } from './traced-pipeline';
import { duplicateView, eventView, otherViews, unknownOf } from './trace-parts';
import type { TraceSources } from './trace-sources';

const DAY_MS = 86_400_000;

/** A trace, and the place of the event whose values it shows; `null`: it shows none. */
export interface MadeTrace {
  readonly view: TraceView;
  readonly accessed: string | null;
}

const asRefusal = (error: unknown): unknown =>
  error instanceof LogUnavailable ? unavailable('the log cannot be reached') : error;

/** Makes traces of events, from the log, the configuration of then, and what routers have recorded. */
export class EventTraces {
  private readonly reads: TraceReads;

  constructor(
    private readonly pool: Pool,
    private readonly sources: TraceSources,
  ) {
    this.reads = new TraceReads(pool, sources.kept.messageIdHours);
  }

  /** @throws Refusal EventNotExist, ServiceUnavailable */
  async trace(request: TraceRequest): Promise<MadeTrace> {
    const { log, kept } = this.sources;
    try {
      const found = await findEvents(log, this.reads, request, kept.messageIdHours);
      return await this.traceOf(found, request);
    } catch (error) {
      throw asRefusal(error);
    }
  }

  private async traceOf(found: FoundEvents, request: TraceRequest): Promise<MadeTrace> {
    const [event, ...others] = found.events;
    const { incoming } = event;
    const { withValues } = request.wanted;
    const isSuppressed = this.isSuppressed(event);
    const isShown = withValues && !isSuppressed;
    const shown = isShown ? PLAIN_VALUES : MASKED_VALUES;
    const routed = incoming?.event === undefined ? [] : await this.routed(event);
    const from = { ...(await this.known(event, request)), isSuppressed, shown };
    const { pipelines, isCut } = await fittingPipelines(
      { event: incoming?.event, routed: this.meant(routed, from, request), from },
      this.sources.functions,
      request.signal,
    );
    if (incoming === undefined && pipelines.length === 0) throw new Refusal('EventNotExist');
    const later = found.isWithoutId ? [] : await request.inTurn(() => this.reads.later(event.hash));
    const traced = eventView(event, from);
    const view = {
      event: { ...traced, messageId: request.wanted.messageId },
      duplicates: later.map(duplicateView),
      others: otherViews(others),
      pipelines,
      isCut,
      unknown: unknownOf(traced, pipelines, found.isWithoutId, from, this.sources.kept),
      kept: this.sources.kept,
      isMasked: !isShown,
    };
    return { view, accessed: isShown ? traced.place : null };
  }

  /** What routers have recorded. Stored rows are read first: a delivery that ends meanwhile is not taken for an open one. */
  private async known(
    event: FoundEvent,
    { workspace, inTurn }: TraceRequest,
  ): Promise<Omit<TracedFrom, 'isSuppressed' | 'shown'>> {
    const { offset, incoming } = event;
    const orderKey = incoming?.orderKey ?? '';
    const keys = [orderKey, ownKeyOf({ orderKey, offset })];
    const [stored, records] = await inTurn(async () => [
      await storedOfEvent(this.pool, workspace, event),
      await this.reads.records(event, keys),
    ]);
    const acceptedMs = incoming?.record.timestampMs ?? 0;
    const isRecorded =
      acceptedMs >= records.progress.recordedFromMs &&
      acceptedMs >= Date.now() - this.sources.kept.outcomeDays * DAY_MS;
    return { stored, records, isRecorded };
  }

  private async routed({ incoming }: FoundEvent): Promise<readonly RoutedPipeline[]> {
    if (incoming?.event === undefined) return [];
    const { head, event } = incoming;
    try {
      await this.sources.routes.prepare([head]);
      return routedPipelines(this.sources.routes.at(head.source, head.seen), incoming, event);
    } catch {
      throw unavailable('the configuration of that time cannot be read');
    }
  }

  /** The pipelines of then, those with records that are not among them, and of all these the wanted one. */
  private meant(
    routed: readonly RoutedPipeline[],
    { records, stored }: Pick<TracedFrom, 'records' | 'stored'>,
    { wanted, workspace }: TraceRequest,
  ): readonly (Pick<RoutedPipeline, 'pipeline'> & Partial<RoutedPipeline>)[] {
    const known = new Set(routed.map(({ pipeline }) => pipeline));
    const recorded = new Set(
      [...records.trail.outcomes, ...stored.map(({ view }) => view)].map(
        ({ pipeline }) => pipeline,
      ),
    );
    const further = [...recorded].filter(
      (id) => !known.has(id) && this.sources.workspaceOf(id) === workspace,
    );
    const all = [...routed, ...further.map((pipeline) => ({ pipeline }))];
    return all.filter(({ pipeline }) => (wanted.pipeline ?? pipeline) === pipeline);
  }

  private isSuppressed({ incoming }: FoundEvent): boolean {
    if (incoming?.event === undefined) return false;
    return isOfSuppressed(this.sources.suppressions, incoming.head.workspace, incoming.event);
  }
}
