import type { AsOf } from '../audit';
import type { WorkspaceId } from '../ids';
import type { NewWarehouse } from '../warehouse.facts';
import { always, command, query, read } from './operation';
import type { Page, Search, Within } from './page';

/** A workspace as a query answers it. */
export interface WorkspaceView {
  readonly id: WorkspaceId;
  readonly version: number;
  readonly name: string;
}

/** A workspace with its warehouse; settings of the warehouse as the client wrote them. */
export interface CreateWorkspace {
  readonly id: WorkspaceId;
  readonly name: string;
  readonly warehouse: Omit<NewWarehouse, 'id'>;
}

export const WORKSPACE_OPERATIONS = {
  ListWorkspaces: read<
    Page & Search & Within,
    { readonly workspaces: readonly WorkspaceView[]; readonly cursor: string }
  >(),
  CreateWorkspace: command<CreateWorkspace, { readonly id: WorkspaceId }>({
    refusals: [
      'DifferentWarehouse',
      'InvalidWarehouseSettings',
      'NotReadOnlyMCPSettings',
      'OperationAlreadyExecuting',
      'WorkspacesLimitReached',
    ],
    scope: 'admin',
    isSlow: always,
  }),
  GetWorkspace: read<{ readonly id: WorkspaceId }, WorkspaceView>({ isVersioned: true }),
  GetWorkspaceAsOf: query<{ readonly id: WorkspaceId } & AsOf, WorkspaceView>({ isSlow: always }),
  RenameWorkspace: command<{ readonly id: WorkspaceId; readonly name: string }>({
    scope: 'admin',
    isVersioned: true,
  }),
  /** Everything in it goes with it. */
  DeleteWorkspace: command<{ readonly id: WorkspaceId }>({ scope: 'admin', isVersioned: true }),
};
