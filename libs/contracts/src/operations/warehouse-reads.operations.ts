import type { ConnectionId, PipelineId } from '../ids';
import type { Microtime } from '../run-control.facts';
import { always, query } from './operation';
import type { Page } from './page';

/** An identity as a query answers it. */
export interface IdentityView {
  /** Absent for an anonymous identity. */
  readonly userId?: string;
  /** Those that are linked with the user, the earliest first; of an anonymous identity its own. Absent without any. */
  readonly anonymousIds?: readonly string[];
  readonly connection: ConnectionId;
  readonly pipeline: PipelineId;
  /** Id of its profile; `null` until it is resolved. */
  readonly profile: string | null;
  /** The greatest time of its updates. */
  readonly updatedAt: Microtime;
}

/** Reads from the warehouse of the request's workspace, in the modes that allow it. */
export const WAREHOUSE_READ_OPERATIONS = {
  /** Newest first. A cursor is valid for 24 hours, for the list that has answered it. */
  ListConnectionIdentities: query<
    Page & { readonly connection: string },
    { readonly identities: readonly IdentityView[]; readonly cursor: string }
  >({
    refusals: [
      'ConnectionNotExist',
      'InvalidWarehouseSettings',
      'MaintenanceMode',
      'DifferentWarehouse',
    ],
    isSlow: always,
    carriesRecords: true,
  }),
};
