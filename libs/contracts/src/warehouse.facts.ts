import type { Sealed } from './connection.facts';
import type { ConnectionId, Instant, WorkspaceId } from './ids';
import type { JsonString } from './pipeline.facts';
import type { ResolutionSettings } from './resolution.facts';

/** What may be done with a warehouse: everything; reads and repair; schema changes and repair. */
export const WAREHOUSE_MODES = ['Normal', 'Inspection', 'Maintenance'] as const;

/** One of {@link WAREHOUSE_MODES}. */
export type WarehouseMode = (typeof WAREHOUSE_MODES)[number];

/** How a warehouse is reached: its settings, sealed. */
export interface WarehouseAccess {
  /** JSON text of the settings, sealed as a whole. */
  readonly settings: Sealed;
  /** Those of a user that can only read; `null`: the MCP server is not configured. */
  readonly mcpSettings: Sealed | null;
}

/** A workspace has one warehouse. Its mode is `Normal`. */
export interface NewWarehouse extends WarehouseAccess {
  /** The workspace's. */
  readonly id: WorkspaceId;
  /** The platform's name. */
  readonly platform: string;
}

/** Path of a property of profiles → the source whose value the profile has where it gives one. */
export type PrimarySources = Readonly<Record<string, ConnectionId>>;

/** The schema of profiles after a change. */
export interface RecordedProfiles {
  /** Greater than that of every earlier change, also of one that failed. */
  readonly version: number;
  /** Canonical JSON text. */
  readonly schema: JsonString;
  readonly primarySources: PrimarySources;
}

/** New path of a property of profiles → the one that it had, or `null` for a fresh property under an old name. */
export type RePathsRecord = Readonly<Record<string, string | null>>;

/** A change of the schema of profiles as it begins. */
export interface StartedProfileChange extends RecordedProfiles {
  readonly rePaths: RePathsRecord;
  readonly startedAt: Instant;
}

/** How a change of the schema of profiles ended. */
export interface EndedProfileChange {
  readonly version: number;
  readonly endedAt: Instant;
  /** `null`: the schema holds from now on. */
  readonly error: string | null;
}

/** Everything that can happen to a warehouse. Kept for ever, as `ConnectionFact`. */
export type WarehouseFact =
  | { readonly type: 'WarehouseCreated'; readonly data: NewWarehouse }
  | { readonly type: 'WarehouseSettingsChanged'; readonly data: WarehouseAccess }
  | {
      readonly type: 'WarehouseModeChanged';
      readonly data: { readonly from: WarehouseMode; readonly to: WarehouseMode };
    }
  | {
      readonly type: 'WarehouseRepaired';
      /** Names of the objects that were made anew. */
      readonly data: { readonly made: readonly string[] };
    }
  | { readonly type: 'ResolutionSettingsSet'; readonly data: ResolutionSettings }
  | { readonly type: 'ProfileSchemaChangeStarted'; readonly data: StartedProfileChange }
  | { readonly type: 'ProfileSchemaChangeEnded'; readonly data: EndedProfileChange };
