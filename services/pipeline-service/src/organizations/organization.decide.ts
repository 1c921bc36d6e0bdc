import type {
  NewApiKey,
  OrganizationFact,
  OrganizationId,
  OrganizationState,
  WorkspaceFact,
  WorkspaceId,
  WorkspaceState,
} from '@penstock/contracts';
import type { Decider } from '@penstock/event-sourcing';

export type OrganizationCommand =
  | {
      readonly type: 'CreateOrganization';
      readonly id: OrganizationId;
      readonly name: string;
      readonly key: NewApiKey;
    }
  | { readonly type: 'CreateApiKey'; readonly key: NewApiKey };

const evolve = (
  state: OrganizationState | null,
  fact: OrganizationFact,
): OrganizationState | null => {
  if (fact.type === 'OrganizationCreated')
    return { ...fact.data, kind: 'organization', enabled: true, apiKeys: [] };
  if (state === null) return state;
  const others = state.apiKeys.filter(({ id }) => id !== fact.data.id);
  return { ...state, apiKeys: fact.type === 'ApiKeyCreated' ? [...others, fact.data] : others };
};

const decide = (
  command: OrganizationCommand,
  state: OrganizationState | null,
): OrganizationFact[] => {
  const { key } = command;
  if (command.type === 'CreateOrganization' && state === null)
    return [
      { type: 'OrganizationCreated', data: { id: command.id, name: command.name } },
      { type: 'ApiKeyCreated', data: key },
    ];
  const isThere = state?.apiKeys.some(({ hash }) => hash === key.hash) ?? true;
  return command.type === 'CreateApiKey' && !isThere ? [{ type: 'ApiKeyCreated', data: key }] : [];
};

export const organizationDecider: Decider<
  OrganizationState | null,
  OrganizationCommand,
  OrganizationFact
> = { initial: null, decide, evolve };

export interface CreateWorkspace {
  readonly id: WorkspaceId;
  readonly organization: OrganizationId;
  readonly name: string;
}

export const workspaceDecider: Decider<WorkspaceState | null, CreateWorkspace, WorkspaceFact> = {
  initial: null,
  decide: (data, state) => (state === null ? [{ type: 'WorkspaceCreated', data }] : []),
  evolve: (_, { data }) => ({ ...data, kind: 'workspace' }),
};

export const organizationStream = (id: string): string => `organization-${id}`;
export const workspaceStream = (id: string): string => `workspace-${id}`;
