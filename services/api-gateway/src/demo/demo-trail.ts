import {
  type ConfigurationReplica,
  type ConnectionId,
  type EndedDeliveries,
  type HistorySource,
  idempotencyKey,
  type PipelineId,
  type EventPipelineState,
} from '@penstock/contracts';
import type { MessageLog } from '@penstock/messaging';
import type { Json, JsonObject } from '@penstock/schema';
import type { KeptEvents } from '../connections/kept-events';
import { jsonObject } from '../http/json-object';
import { ExplainedPipeline } from './explained-pipeline';
import { PipelinesThen } from './pipelines-then';
import { type RecentEvent, RecentEvents } from './recent-events';

/** Where the trail is read from. */
export interface DemoTrailParts {
  readonly log: Pick<MessageLog, 'endOffsets' | 'read'>;
  readonly replica: ConfigurationReplica;
  readonly history: Pick<HistorySource, 'pipelineStates'>;
  readonly keptEvents: KeptEvents;
  readonly destination: ConnectionId;
}

type Versions = (pipeline: PipelineId, position: number) => EventPipelineState | undefined;

/**
 * What happened to the newest events of the sources that are linked to one destination: the events and outcomes are
 * read from the log, the pipelines are those of the position stamped on each event, and what arrived is what the test
 * application has kept.
 */
export class DemoTrail {
  readonly destination: ConnectionId;
  private readonly recent: RecentEvents;
  private readonly pipelines: PipelinesThen;
  private readonly compiled = new WeakMap<EventPipelineState, ExplainedPipeline>();
  private reading: Promise<Json> | undefined;

  constructor(private readonly parts: DemoTrailParts) {
    const { log, replica, history, destination } = parts;
    this.destination = destination;
    const isLinked = (source: string) => replica.sourcesOf(destination).some((id) => id === source);
    this.recent = new RecentEvents(log, isLinked);
    this.pipelines = new PipelinesThen(history);
  }

  /**
   * Returns the newest events, newest first, each with its steps through every pipeline of the destination. Calls at a
   * time share one reading.
   *
   * @throws LogUnavailable, or an Error when the history of the configuration is unavailable.
   */
  events(): Promise<Json> {
    this.reading ??= this.read().finally(() => (this.reading = undefined));
    return this.reading;
  }

  private async read(): Promise<Json> {
    const recent = await this.recent.read();
    const versions = await this.versionsFor(recent);
    const kept = await this.parts.keptEvents.of(this.destination);
    const received = new Map(kept.map(({ idempotencyKey: key, body }) => [key, body]));
    return recent.map((each) => {
      const isRepeated = recent.some((other) => isRepetitionOf(each, other));
      return this.explained(each, { versions, received, isRepeated });
    });
  }

  private async versionsFor(recent: readonly RecentEvent[]): Promise<Versions> {
    const seen = recent.map(({ accepted }) => accepted.seen);
    const [from, to] = [Math.min(...seen), Math.max(...seen)];
    const ids = seen.length === 0 ? [] : this.parts.replica.pipelinesOn(this.destination);
    const found = await Promise.all(
      ids.map(async (id) => [id, await this.pipelines.versions(id, from, to)] as const),
    );
    const known = new Map(found);
    return (pipeline, position) => known.get(pipeline)?.(position);
  }

  private explained(recent: RecentEvent, facts: Facts): JsonObject {
    const { record, accepted } = recent;
    const { integrations, eventText, seen } = accepted;
    const pipelines = this.parts.replica
      .pipelinesOn(this.destination)
      .flatMap((id) => facts.versions(id, seen) ?? []);
    return jsonObject({
      id: `${String(record.partition)}/${String(record.offset)}`,
      event: eventText,
      integrations: integrations && JSON.stringify(integrations),
      isRepeated: facts.isRepeated,
      pipelines: pipelines.map((state) => this.stepsOf(recent, state, facts)),
    });
  }

  private stepsOf(recent: RecentEvent, state: EventPipelineState, { received }: Facts): JsonObject {
    const { event, accepted, outcomes } = recent;
    const key = idempotencyKey(event['connectionId'] as string, accepted.messageId, state.id);
    const pipeline = this.compiled.get(state) ?? new ExplainedPipeline(state);
    this.compiled.set(state, pipeline);
    const ended = outcomes.get(state.id);
    return jsonObject({
      ...pipeline.explain(recent),
      outcome: ended === undefined ? null : outcomeJson(ended),
      received: received.get(key) ?? null,
    });
  }
}

interface Facts {
  readonly versions: Versions;
  /** Bodies that the application received, by idempotency key. */
  readonly received: ReadonlyMap<string, string>;
  readonly isRepeated: boolean;
}

/**
 * Whether the event has the message id of another one that precedes it in its order key, and so is not delivered again.
 */
const isRepetitionOf = (
  { record, accepted }: RecentEvent,
  { record: other, accepted: before }: RecentEvent,
): boolean =>
  other.partition === record.partition &&
  other.offset < record.offset &&
  other.key === record.key &&
  before.messageId === accepted.messageId;

const outcomeJson = ({ state, code, attempts, at, status }: EndedDeliveries): JsonObject =>
  jsonObject({
    state,
    code,
    attempts: String(attempts),
    at,
    status: status === null ? null : String(status),
  });
