import type { AlertFact } from './alert.facts';
import type { ConnectionFact } from './connection.facts';
import type { ErasureFact } from './erasure.facts';
import type { HealthFact } from './health.facts';
import type { Instant } from './ids';
import type { OrganizationFact } from './organization.facts';
import type { PipelineFact } from './pipeline.facts';
import type { ResolutionFact } from './resolution.facts';
import type { RunControlFact } from './run-control.facts';
import type { SuppressionFact } from './suppression.facts';
import type { WarehouseFact } from './warehouse.facts';
import type { WorkspaceFact } from './workspace.facts';

/** Every configuration fact. Stored for ever: a released one may gain an optional member, never lose or rename one. */
export type ConfigurationFact =
  | OrganizationFact
  | WorkspaceFact
  | ConnectionFact
  | PipelineFact
  | WarehouseFact
  | SuppressionFact
  | HealthFact
  | RunControlFact
  | ResolutionFact
  | ErasureFact
  | AlertFact;

/** Who did it: an API key's id, or the service itself. */
export type Actor = string;

/** A fact as it stands on the `configuration` topic. */
export interface RecordedFact<Fact extends { type: string; data: unknown } = ConfigurationFact> {
  /** Gapless over all facts of the installation, from 1, in commit order. */
  readonly position: number;
  /** `<aggregate>-<id>` */
  readonly stream: string;
  /** 1 for the first fact of the stream. */
  readonly version: number;
  readonly type: Fact['type'];
  /** Of the shape of `data`; 1 for the first released shape of each type. */
  readonly schemaVersion: number;
  readonly time: Instant;
  readonly actor: Actor;
  readonly requestId: string;
  /** The id of the command that caused it. */
  readonly causation: string;
  /**
   * In the chain of the facts of its owner, which is the record's key; absent where an earlier version published it.
   */
  readonly hash?: string;
  readonly data: Fact['data'];
}
