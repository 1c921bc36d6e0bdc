import type { AuditedFact, ChainHeads, FactsWanted } from '../audit';
import type { ApiKeyId, OrganizationId, SuppressionId } from '../ids';
import type { NewApiKey } from '../organization.facts';
import { command, type Nothing, query, read } from './operation';
import type { Page, Search, Within } from './page';

/** An API key as it is shown: nothing of it authenticates. */
export type ApiKeyView = Omit<NewApiKey, 'hash'>;

/** Numbers of what an organization may have, or has. */
export interface OrganizationCounts {
  /** Different connectors that its pipelines use. */
  readonly connectors: number;
  readonly connections: number;
  readonly pipelines: number;
  readonly workspaces: number;
  readonly keys: number;
}

/** An organization, what it may have, and what it has. */
export interface OrganizationView {
  readonly id: OrganizationId;
  readonly version: number;
  readonly name: string;
  readonly enabled: boolean;
  readonly limits: OrganizationCounts;
  readonly use: OrganizationCounts;
}

/** About the organization, its keys and its audit. */
export const ORGANIZATION_OPERATIONS = {
  GetOrganization: query<Nothing, OrganizationView>({ isVersioned: true }),
  SetOrganizationStatus: command<{ readonly enabled: boolean }>({
    scope: 'admin',
    isVersioned: true,
  }),
  ListApiKeys: read<
    Page & Search & Within,
    { readonly keys: readonly ApiKeyView[]; readonly cursor: string }
  >(),
  CreateApiKey: command<NewApiKey, { readonly id: ApiKeyId }>({
    refusals: ['WorkspaceNotExist', 'KeysLimitReached'],
    scope: 'admin',
  }),
  /** A key never changes: its version is 1. */
  RevokeApiKey: command<{ readonly id: string } & Within>({
    refusals: ['KeyNotExist'],
    scope: 'admin',
    isVersioned: true,
  }),
  /** Newest first. */
  ListFacts: query<
    Page & FactsWanted,
    { readonly facts: readonly AuditedFact[]; readonly cursor: string }
  >(),
  GetAuditHead: query<Pick<FactsWanted, 'ofOrganization'>, ChainHeads>(),
};

/** How many users of a workspace are suppressed. */
export interface SuppressedUsersView {
  readonly count: number;
  /** Whether the requested user is suppressed; absent: the request named none. */
  readonly suppressed?: boolean;
}

/** About users whose events are left out. */
export const SUPPRESSION_OPERATIONS = {
  SuppressUser: command<{ readonly id: SuppressionId }>(),
  UnsuppressUser: command<{ readonly id: SuppressionId }>(),
  CountSuppressedUsers: read<{ readonly id?: SuppressionId }, SuppressedUsersView>(),
};
