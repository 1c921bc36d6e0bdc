import type { NewApiKey } from '../organization.facts';
import type { OrganizationState } from '../state';

/** An API key, and whose it is. */
export interface OwnedApiKey {
  readonly key: NewApiKey;
  readonly organization: OrganizationState;
}

/** Finds API keys by their hashes. */
export class ApiKeyOwners {
  private readonly byHash = new Map<string, OwnedApiKey>();

  find(hash: string): OwnedApiKey | undefined {
    return this.byHash.get(hash);
  }

  replace(before: OrganizationState | undefined, organization: OrganizationState): void {
    for (const { hash } of before?.apiKeys ?? []) this.byHash.delete(hash);
    for (const key of organization.apiKeys) this.byHash.set(key.hash, { key, organization });
  }
}
