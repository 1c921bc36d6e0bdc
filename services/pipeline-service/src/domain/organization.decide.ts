import {
  type NewApiKey,
  type OrganizationFact,
  type OrganizationId,
  type OrganizationState,
  Refusal,
  unreachable,
  type WorkspaceId,
} from '@penstock/contracts';
import type { Decider } from '@penstock/event-sourcing';

/** The published state, which is all that decisions depend on. `null`: it was never created. */
export type Organization = OrganizationState | null;

export type OrganizationCommand =
  | {
      readonly type: 'CreateOrganization';
      readonly id: OrganizationId;
      readonly name: string;
      readonly key: NewApiKey;
    }
  | { readonly type: 'CreateApiKey'; readonly key: NewApiKey; readonly maxKeys: number }
  | {
      readonly type: 'RevokeApiKey';
      readonly id: string;
      /** Only keys of this workspace can be revoked; `null`: any key. */
      readonly within: WorkspaceId | null;
    }
  /** Revokes all keys of a workspace, which is being deleted. */
  | { readonly type: 'RevokeKeysOf'; readonly workspace: WorkspaceId }
  | { readonly type: 'SetOrganizationStatus'; readonly enabled: boolean };

const evolve = (state: Organization, fact: OrganizationFact): Organization => {
  if (fact.type === 'OrganizationCreated')
    return { ...fact.data, kind: 'organization', enabled: true, apiKeys: [] };
  if (state === null) return state;
  switch (fact.type) {
    case 'ApiKeyCreated':
      return { ...state, apiKeys: [...state.apiKeys, fact.data] };
    case 'ApiKeyRevoked':
      return { ...state, apiKeys: state.apiKeys.filter(({ id }) => id !== fact.data.id) };
    case 'OrganizationStatusSet':
      return { ...state, enabled: fact.data.enabled };
    default:
      return unreachable(fact);
  }
};

const createKey = (
  { key, maxKeys }: Extract<OrganizationCommand, { type: 'CreateApiKey' }>,
  { apiKeys }: OrganizationState,
): OrganizationFact[] => {
  if (apiKeys.some(({ hash }) => hash === key.hash)) return [];
  if (apiKeys.length >= maxKeys)
    throw new Refusal('KeysLimitReached', {
      message: `organization cannot have more than ${String(maxKeys)} keys`,
    });
  return [{ type: 'ApiKeyCreated', data: key }];
};

const revoked = ({ id }: NewApiKey): OrganizationFact => ({ type: 'ApiKeyRevoked', data: { id } });

const revokeKey = (
  { id, within }: Extract<OrganizationCommand, { type: 'RevokeApiKey' }>,
  { apiKeys }: OrganizationState,
): OrganizationFact[] => {
  const key = apiKeys.find((each) => each.id === id);
  if (key === undefined || (within !== null && key.workspace !== within))
    throw new Refusal('KeyNotExist');
  return [revoked(key)];
};

const decide = (command: OrganizationCommand, state: Organization): OrganizationFact[] => {
  if (command.type === 'CreateOrganization') {
    if (state !== null) return [];
    const { id, name, key } = command;
    return [
      { type: 'OrganizationCreated', data: { id, name } },
      { type: 'ApiKeyCreated', data: key },
    ];
  }
  if (state === null) throw new TypeError(`${command.type} of an organization that is none`);
  switch (command.type) {
    case 'CreateApiKey':
      return createKey(command, state);
    case 'RevokeApiKey':
      return revokeKey(command, state);
    case 'RevokeKeysOf':
      return state.apiKeys.filter(({ workspace }) => workspace === command.workspace).map(revoked);
    case 'SetOrganizationStatus':
      return state.enabled === command.enabled
        ? []
        : [{ type: 'OrganizationStatusSet', data: { enabled: command.enabled } }];
    default:
      return unreachable(command);
  }
};

/** The rules of an organization: its API keys and its status. */
export const organizationDecider: Decider<Organization, OrganizationCommand, OrganizationFact> = {
  initial: null,
  decide,
  evolve,
};

export const organizationStream = (id: string): string => `organization-${id}`;
