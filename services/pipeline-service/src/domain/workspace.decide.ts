import {
  type NewWorkspace,
  Refusal,
  unreachable,
  type WorkspaceFact,
  type WorkspaceState,
} from '@penstock/contracts';
import type { Decider } from '@penstock/event-sourcing';

/** The published state, which is all that decisions depend on. `null`: it was never created. */
export type Workspace = WorkspaceState | null;

export type WorkspaceCommand =
  | { readonly type: 'CreateWorkspace'; readonly workspace: NewWorkspace }
  | { readonly type: 'RenameWorkspace'; readonly name: string }
  | { readonly type: 'DeleteWorkspace' };

const changed = (fact: WorkspaceFact): Partial<WorkspaceState> => {
  switch (fact.type) {
    case 'WorkspaceCreated':
    case 'WorkspaceRenamed':
      return fact.data;
    case 'WorkspaceDeleted':
      return { deleted: true };
    default:
      return unreachable(fact);
  }
};

const evolve = (state: Workspace, fact: WorkspaceFact): Workspace => {
  if (fact.type === 'WorkspaceCreated')
    return { ...fact.data, kind: 'workspace', version: 1, deleted: false };
  if (state === null) return state;
  return { ...state, ...changed(fact), version: state.version + 1 };
};

const decide = (command: WorkspaceCommand, state: Workspace): WorkspaceFact[] => {
  if (command.type === 'CreateWorkspace')
    return state === null ? [{ type: 'WorkspaceCreated', data: command.workspace }] : [];
  if (state === null || state.deleted) throw new Refusal('WorkspaceNotExist');
  switch (command.type) {
    case 'RenameWorkspace':
      return state.name === command.name
        ? []
        : [{ type: 'WorkspaceRenamed', data: { name: command.name } }];
    case 'DeleteWorkspace':
      return [{ type: 'WorkspaceDeleted', data: {} }];
    default:
      return unreachable(command);
  }
};

/** The rules of a workspace itself; the objects in it are deleted with it by their own rules. */
export const workspaceDecider: Decider<Workspace, WorkspaceCommand, WorkspaceFact> = {
  initial: null,
  decide,
  evolve,
};

export const workspaceStream = (id: string): string => `workspace-${id}`;
