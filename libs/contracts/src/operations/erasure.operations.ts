import type { EndedErasure, ErasureCounts } from '../erasure.facts';
import type { ErasureId, Instant, SuppressionId, WorkspaceId } from '../ids';
import { always, command, query } from './operation';

/** The erasure of a person, as a query answers it. */
export interface ErasureView {
  readonly id: ErasureId;
  readonly profile: string;
  readonly requestedAt: Instant;
  /** `null`: it goes on, or waits for the warehouse. */
  readonly endedAt: Instant | null;
  /** Why it has failed, or what it waits for; `''`: neither. */
  readonly error: string;
  /** What it has deleted so far. */
  readonly counts: ErasureCounts;
}

/** About people of the request's workspace who are erased. */
export const ERASURE_OPERATIONS = {
  /** Is kept until it is done: an executor erases the person as soon as the warehouse may be written. */
  EraseProfile: command<{ readonly profile: string }, { readonly id: ErasureId }>({
    refusals: [
      'ProfileNotExist',
      {
        code: 'OperationAlreadyExecuting',
        message: 'workspace has too many erasures that have not ended',
      },
      'MaintenanceMode',
      'InvalidWarehouseSettings',
    ],
    // It looks whether the warehouse has the profile.
    isSlow: always,
    hasDryRun: false,
  }),
  /** Any executor answers. `seen`: the position of the configuration that the asking process has seen. */
  GetErasure: query<{ readonly id: string; readonly seen: number }, ErasureView>({
    refusals: ['ErasureNotExist'],
    isSlow: always,
    answeredBy: 'run-executor',
  }),
  /** Sent by executors, about users of any workspace who are erased: those who are suppressed already stay so. */
  SuppressErased: command<{ readonly id: WorkspaceId; readonly users: readonly SuppressionId[] }>({
    hasDryRun: false,
  }),
  /** Sent by executors, about an erasure of any workspace. Changes nothing when it has ended, so that it can be repeated. */
  EndErasure: command<{ readonly id: WorkspaceId; readonly end: EndedErasure }>({
    hasDryRun: false,
  }),
};
