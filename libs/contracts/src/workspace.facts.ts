import type { OrganizationId, WorkspaceId } from './ids';

/** A workspace as it is created. */
export interface NewWorkspace {
  readonly id: WorkspaceId;
  readonly organization: OrganizationId;
  readonly name: string;
}

/** Everything that can happen to a workspace. Kept for ever, as `ConnectionFact`. */
export type WorkspaceFact =
  | { readonly type: 'WorkspaceCreated'; readonly data: NewWorkspace }
  | { readonly type: 'WorkspaceRenamed'; readonly data: { readonly name: string } }
  | { readonly type: 'WorkspaceDeleted'; readonly data: Record<never, never> };
