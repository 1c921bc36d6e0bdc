import type { OrganizationId, WorkspaceId } from './ids';

export type WorkspaceFact = {
  readonly type: 'WorkspaceCreated';
  readonly data: {
    readonly id: WorkspaceId;
    readonly organization: OrganizationId;
    readonly name: string;
  };
};
