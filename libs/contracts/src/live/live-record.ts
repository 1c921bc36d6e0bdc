import type { Sealed } from '../connection.facts';
import type { ConnectionId, Instant, PipelineId, WorkspaceId } from '../ids';

/** What a pipeline has made of an event when it was routed. */
export interface LiveRouting {
  readonly pipeline: PipelineId;
  /** `null`: the pipeline was disabled, and no version of it has seen the event. */
  readonly version: number | null;
  /** The destination. */
  readonly connection: ConnectionId;
  /** `Open`: it has matched, and a delivery was opened. */
  readonly state: 'Open' | 'Filtered';
  /** Why it was filtered: `NotMatched`, `OptedOut` or `Disabled`; empty when it is open. */
  readonly code: '' | 'NotMatched' | 'OptedOut' | 'Disabled';
}

interface OfEvent {
  readonly workspace: WorkspaceId;
  /** The source connection. */
  readonly source: ConnectionId;
  /** Identifies the event in the stream: its partition and offset in the topic `events`. */
  readonly event: string;
}

/** An event that a router has read. */
export interface LiveEvent extends OfEvent {
  readonly kind: 'event';
  /** What it is to the router. Only a `New` one is delivered. */
  readonly receipt: 'New' | 'Duplicate' | 'DifferentBody';
  readonly pipelines: readonly LiveRouting[];
  /** JSON text of the event, sealed under the key of its workspace; see {@link liveSealContext}. */
  readonly sealed: Sealed;
}

/** How a delivery of an event that was sampled has ended. */
export interface LiveOutcome extends OfEvent {
  readonly kind: 'outcome';
  readonly pipeline: PipelineId;
  readonly version: number;
  /** The destination. */
  readonly connection: ConnectionId;
  readonly state: string;
  readonly code: string;
  /** Number of requests that were sent. */
  readonly attempts: number;
  /** HTTP status of the last failed attempt; `null`: there was none. */
  readonly status: number | null;
  readonly at: Instant;
}

/** Events that were watched and left out, since there were too many. */
export interface LiveDropped {
  readonly kind: 'dropped';
  readonly workspace: WorkspaceId;
  /** The source connection. */
  readonly source: ConnectionId;
  readonly count: number;
}

/** What stands in the topic `live`. */
export type LiveRecord = LiveEvent | LiveOutcome | LiveDropped;

const FORM = 1;

const KINDS: readonly unknown[] = ['event', 'outcome', 'dropped'];

/** What the text of an event is sealed for: it opens for no other. */
export const liveSealContext = ({ workspace, event }: Pick<LiveEvent, 'workspace' | 'event'>) =>
  `${workspace}/live/${event}`;

/** The value of a message of the topic `live`. */
export const writeLiveRecord = (record: LiveRecord): string =>
  JSON.stringify({ form: FORM, ...record });

/** Reads a message of the topic; `undefined`: it has another form, such as that of a newer version. */
export const readLiveRecord = (value: string | null): LiveRecord | undefined => {
  try {
    const { form, ...record } = JSON.parse(value ?? '') as LiveRecord & { readonly form: unknown };
    return form === FORM && KINDS.includes(record.kind) ? record : undefined;
  } catch {
    return undefined;
  }
};
