import type { FactsWanted, AuditedFact } from '../audit';
import type { ApiKeyId, SuppressionId } from '../ids';
import type { NewApiKey } from '../organization.facts';
import { command, query } from './operation';
import type { Page, Within } from './page';

/** An API key as it is shown: nothing of it authenticates. */
export type ApiKeyView = Omit<NewApiKey, 'hash'>;

/** About the organization, its keys and its audit. */
export const ORGANIZATION_OPERATIONS = {
  SetOrganizationStatus: command<{ readonly enabled: boolean }>({ scope: 'admin' }),
  ListApiKeys: query<
    Page & Within,
    { readonly keys: readonly ApiKeyView[]; readonly cursor: string }
  >(),
  CreateApiKey: command<NewApiKey, { readonly id: ApiKeyId }>({
    refusals: ['WorkspaceNotExist', 'KeysLimitReached'],
    scope: 'admin',
  }),
  RevokeApiKey: command<{ readonly id: string } & Within>({
    refusals: ['KeyNotExist'],
    scope: 'admin',
  }),
  /** Newest first. */
  ListFacts: query<
    Page & FactsWanted,
    { readonly facts: readonly AuditedFact[]; readonly cursor: string }
  >(),
};

/** About users whose events are left out. */
export const SUPPRESSION_OPERATIONS = {
  SuppressUser: command<{ readonly id: SuppressionId }>(),
  UnsuppressUser: command<{ readonly id: SuppressionId }>(),
};
