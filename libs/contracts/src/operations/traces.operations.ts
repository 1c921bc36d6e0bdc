import type { ConnectionId, Instant, PipelineId } from '../ids';
import type { Acceptance } from '../integrations';
import type { JsonString } from '../pipeline.facts';
import { always, query } from './operation';

/** Which event is to be traced. */
export interface TraceWanted {
  readonly messageId: string;
  /** The source. Absent: the newest event with this id, of any source. */
  readonly connection?: string;
  /** Only what became of it in this pipeline. */
  readonly pipeline?: string;
  /** Of the event; tells events with one id apart. With `connection`. */
  readonly anonymousId?: string;
  /** About when it was accepted: it is looked for on the log near this time. With `anonymousId`. */
  readonly at?: Instant;
  /** The caller may see values; the access is recorded before they are answered. */
  readonly withValues: boolean;
}

/** Whether the log still has the event. */
export const TRACED_FORMS = ['Readable', 'Unreadable', 'Gone'] as const;

/** The event of a trace. */
export interface TracedEvent {
  /** Opaque; names the event in the access log. */
  readonly place: string;
  readonly messageId: string;
  /** `Gone`: retention has removed it from the log, or another log has taken its place. */
  readonly form: (typeof TRACED_FORMS)[number];
  /** Why it is unreadable, for operators, without values; else empty. */
  readonly reason: string;
  /** The source; `null`: unknown, since it is gone. */
  readonly connection: ConnectionId | null;
  /** When it was appended to the log; `null`: unknown, since it is gone. */
  readonly acceptedAt: Instant | null;
  /** By which gateway and route; `null`: it is gone, or a gateway of an earlier version has accepted it. */
  readonly acceptedBy: Acceptance | null;
  /** As it was accepted; `null`: it cannot be read. */
  readonly event: JsonString | null;
  /** Whether its user is suppressed now: then nobody sees values. */
  readonly isSuppressed: boolean;
}

/** A later event with the same source, anonymous id and message id: it is delivered to nobody. */
export interface TracedDuplicate {
  readonly place: string;
  readonly at: Instant;
  /** Whether it has another body than the first one. */
  readonly isDifferent: boolean;
}

/** Another event of the workspace under this message id, from another source or of another anonymous id. */
export interface OtherEvent {
  readonly place: string;
  readonly connection: ConnectionId;
  readonly acceptedAt: Instant;
}

/** A condition of a filter, and what it has seen. */
export interface TracedCondition {
  readonly property: string;
  readonly operator: string;
  readonly values: readonly string[];
  /** `null`: the event has nothing there. */
  readonly seen: JsonString | null;
  readonly holds: boolean;
}

/** What a filter has decided. */
export interface TracedFilter {
  readonly logical: 'and' | 'or';
  readonly conditions: readonly TracedCondition[];
}

/** A transformation, run again for the trace: its input is the event. */
export interface TracedTransformation {
  readonly kind: 'Mapping' | 'Function';
  /** `null`: it has failed, or was not run. */
  readonly output: JsonString | null;
  /** The step that has failed; `null`: none, or it was not run. */
  readonly failed: 'Transformation' | 'OutputValidation' | null;
  /** Why there is no output; else empty. */
  readonly error: string;
  /** What the function wrote to its console. */
  readonly console: string;
}

/** A request with the delivery. */
export interface TracedAttempt {
  /** Its number among the attempts, from 1. */
  readonly attempt: number;
  readonly at: Instant;
  readonly isSuccessful: boolean;
  /** The HTTP status of the answer; `null`: there was none, or it is not known. */
  readonly status: number | null;
  /** Why it has failed, with an excerpt of the answer where values are shown. */
  readonly reason: string;
  /** When the delivery was due again after it; `null`: it had ended. */
  readonly nextAttemptAt: Instant | null;
}

/**
 * States of a delivery in a trace. `Open`: matched and not ended, in the memory of a router or left to the log. `Unread`: no
 * router has read the event yet. `Unknown`: how it ended is not known any more.
 */
export const TRACED_STATES = [
  'Delivered',
  'Filtered',
  'Rejected',
  'Parked',
  'Waiting',
  'Open',
  'Unread',
  'Unknown',
] as const;

/** One of {@link TRACED_STATES}. */
export type TracedState = (typeof TRACED_STATES)[number];

/** What became of the event in one pipeline. */
export interface TracedPipeline {
  readonly pipeline: PipelineId;
  /** The version that the event was routed by; `null`: unknown, since the pipeline was disabled then. */
  readonly pipelineVersion: number | null;
  /** The destination; `null`: unknown. */
  readonly connection: ConnectionId | null;
  readonly state: TracedState;
  /** The step at which it ended; `null`: it has not, or it is unknown. */
  readonly step: string | null;
  /** Why, from the list of codes; empty when the state suffices. */
  readonly code: string;
  /** For people. */
  readonly reason: string;
  readonly endedAt: Instant | null;
  readonly nextAttemptAt: Instant | null;
  /** Id of the stored delivery, when there is one. */
  readonly delivery: string | null;
  /** `null`: it has none, or the event or the pipeline of then is unknown. */
  readonly filter: TracedFilter | null;
  /** `null`: it has none, or the event does not come to it. */
  readonly transformation: TracedTransformation | null;
  /** Requests that were sent. */
  readonly attemptCount: number;
  /** Of those, the first and the last ones that are recorded. */
  readonly attempts: readonly TracedAttempt[];
}

/** How far back is known what a trace is made of. */
export interface TraceKept {
  /** Hours for which message ids are kept. */
  readonly messageIdHours: number;
  /** Days for which events are kept on the log. */
  readonly eventDays: number;
  /** Days for which endings and attempts are kept. */
  readonly outcomeDays: number;
  /** Days for which rejected and parked deliveries are kept. */
  readonly deadLetterDays: number;
}

/** What became of one event. */
export interface TraceView {
  readonly event: TracedEvent;
  /** In the order of the log, at most 100. */
  readonly duplicates: readonly TracedDuplicate[];
  /** The newest first. */
  readonly others: readonly OtherEvent[];
  /** Those that the event came to first, in the order of their destinations. */
  readonly pipelines: readonly TracedPipeline[];
  /** Whether pipelines are left out, since the answer would be too large: ask for one by its id. */
  readonly isCut: boolean;
  /** What is not known any more, in sentences. */
  readonly unknown: readonly string[];
  readonly kept: TraceKept;
  /** Whether values are replaced, since the caller may not see them. */
  readonly isMasked: boolean;
}

/** About single events; the routers answer from the log and what they have recorded. */
export const TRACE_OPERATIONS = {
  TraceEvent: query<TraceWanted, TraceView>({
    refusals: ['EventNotExist'],
    isSlow: always,
    carriesRecords: true,
    answeredBy: 'event-router',
  }),
};
