import type { Sealed } from '../connection.facts';
import type { Instant, WorkspaceId } from '../ids';
import type {
  EndedResolution,
  ResolutionSettings,
  ResolutionTrigger,
  WaitingResolution,
} from '../resolution.facts';
import { always, command, type Nothing, query, read } from './operation';

/** Milliseconds for which a notice of identities holds. */
export const NOTED_FOR_MS = 5_000;

/** What a client wants of how the identities of a workspace are resolved. */
export interface SetResolutionSettings extends Pick<ResolutionSettings, 'runOnBatchImport'> {
  /** Property paths as the client wrote them: at most 16, none twice. */
  readonly identifiers: readonly string[];
  /** Absent: it stays. */
  readonly eventDelay?: number | null;
  /** Identifier → JSON text of the array of values that count as none, sealed. Absent: they stay. */
  readonly blockedValues?: Readonly<Record<string, Sealed>>;
}

/** How identities are resolved, as a read answers it; blocked values are still sealed. */
export interface ResolutionSettingsView extends ResolutionSettings {
  /** Of the warehouse, which the settings are a part of. */
  readonly version: number;
}

/** A value of an identifier that so many identities have in common that it is more likely a mistake than a person. */
export interface SharedValueView {
  readonly identifier: string;
  readonly value: string;
  readonly identities: number;
}

/** The latest resolution of the identities of a workspace. */
export interface LatestResolution {
  /** `null`: there was none. */
  readonly startTime: Instant | null;
  /** `null`: it runs, or there was none. */
  readonly endTime: Instant | null;
  readonly trigger: ResolutionTrigger | null;
  readonly full: boolean;
  /** `''` unless it failed. */
  readonly error: string;
  /** Changed identities that it has taken, and those that it has found; `null` when it does not run. */
  readonly progress: { readonly done: number; readonly total: number } | null;
  /** Changed identities that it has resolved. */
  readonly identities: number;
  /** Profiles that it has made, merged into others, made by splits, and removed. */
  readonly created: number;
  readonly merged: number;
  readonly split: number;
  readonly deleted: number;
  /** Identities that are changed now and not resolved yet. */
  readonly pending: number;
  readonly warnings: readonly SharedValueView[];
}

/** About how identities of the request's workspace become profiles. */
export const RESOLUTION_OPERATIONS = {
  /** Starts at once, or is refused. `full`: everything is computed anew. */
  StartResolution: command<{ readonly full: boolean }>({
    refusals: [
      'InspectionMode',
      'MaintenanceMode',
      'OperationAlreadyExecuting',
      'InvalidWarehouseSettings',
    ],
    // It looks whether the warehouse is being repaired.
    isSlow: always,
    hasDryRun: false,
  }),
  /** Changes nothing when none runs. */
  CancelResolution: command<Nothing>({ hasDryRun: false }),
  /** A change of identifiers or of blocked values has everything computed anew. */
  SetResolutionSettings: command<SetResolutionSettings>({
    refusals: [
      'PropertyNotExist',
      'TypeNotAllowed',
      'OperationAlreadyExecuting',
      'InvalidWarehouseSettings',
    ],
    isVersioned: true,
  }),
  GetResolutionSettings: read<Nothing, ResolutionSettingsView>({
    refusals: ['InvalidWarehouseSettings'],
    isVersioned: true,
  }),
  /**
   * Any executor answers, from the store that they share. `seen`: the position of the configuration that the asking process
   * has seen; the answer knows of a resolution that was started up to it. Its warnings hold values of users.
   */
  GetLatestResolution: query<{ readonly seen: number }, LatestResolution>({
    refusals: ['InvalidWarehouseSettings'],
    isSlow: always,
    carriesRecords: true,
    answeredBy: 'run-executor',
  }),
  /**
   * Sent by routers, of workspaces in which they have written identities of events, until it is answered: it stands for all that
   * they write there in {@link NOTED_FOR_MS}, too. What was noted before changes nothing, so that it can be repeated.
   */
  NoteIdentities: query<{ readonly workspaces: readonly WorkspaceId[] }, Nothing>({
    scope: 'write',
    isSlow: always,
    answeredBy: 'run-executor',
  }),
  /** Sent by executors, about any workspace: it starts as soon as it may. Those that wait are one. */
  TriggerResolution: command<WaitingResolution & { readonly id: WorkspaceId }>({
    hasDryRun: false,
  }),
  /**
   * Sent by executors, about a resolution of any workspace. Changes nothing when it has ended, so that it can be repeated.
   */
  EndResolution: command<{ readonly id: WorkspaceId; readonly end: EndedResolution }>({
    hasDryRun: false,
  }),
};
