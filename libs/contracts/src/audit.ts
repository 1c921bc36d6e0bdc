import type { Actor } from './fact';
import type { Instant } from './ids';
import type { ConfigurationState } from './state';

/** Asks for an object as it was. */
export interface AsOf {
  readonly at: Instant;
}

/** What of the audit is wanted; every member that is given narrows. */
export interface FactsWanted {
  /** Id of an object: its history. */
  readonly object?: string;
  /** Of facts, such as `PipelineCreated`. */
  readonly type?: string;
  readonly actor?: Actor;
  readonly requestId?: string;
  /** At this time or later. */
  readonly from?: Instant;
  /** Before this time. */
  readonly to?: Instant;
  /** Whether the facts of the organization are wanted beside those of the workspace. */
  readonly ofOrganization: boolean;
}

/** What happened to an object: who did it, when and by which request, and what it was before and after. */
export interface AuditedFact {
  readonly position: number;
  readonly stream: string;
  readonly version: number;
  readonly type: string;
  readonly time: Instant;
  readonly actor: Actor;
  readonly requestId: string;
  /** The id of the command that caused it. */
  readonly causation: string;
  /** In the chain of the facts of its workspace or organization. */
  readonly hash: string;
  /** `null`: the fact is the first of its object. */
  readonly before: ConfigurationState | null;
  readonly after: ConfigurationState | null;
  /** Both states are left out, being too large together for an answer. */
  readonly isCut: boolean;
}

/** The end of a chain: who remembers it sees later whether a fact up to it was altered or removed. */
export interface ChainHead {
  /** Of the newest fact. */
  readonly position: number;
  readonly hash: string;
}

/** The ends of the chains that a key may see; `null` where there is no fact, or none that it may see. */
export interface ChainHeads {
  readonly workspace: ChainHead | null;
  readonly organization: ChainHead | null;
}
