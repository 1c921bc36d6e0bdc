import type { OrganizationId, WorkspaceId } from './ids';

export interface NewWorkspace {
  readonly id: WorkspaceId;
  readonly organization: OrganizationId;
  readonly name: string;
}

export type WorkspaceFact =
  | { readonly type: 'WorkspaceCreated'; readonly data: NewWorkspace }
  | { readonly type: 'WorkspaceRenamed'; readonly data: { readonly name: string } }
  | { readonly type: 'WorkspaceDeleted'; readonly data: Record<never, never> };
