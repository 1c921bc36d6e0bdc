import type { ConfigurationReplica, NewApiKey, OrganizationState } from '@penstock/contracts';
import { isBootstrapKeyForm, type SecretBox } from '@penstock/runtime';
import { BoundedCache } from '../cache/bounded-cache';

const REMEMBERED_KEYS = 10_000;

/** An API key with the organization that it is of. */
export interface KeyOwner {
  readonly key: NewApiKey;
  readonly organization: OrganizationState;
}

/** Finds the owners of API keys in the replica; a typo is told from a key by its check sum, before any look-up. */
export class ApiKeys {
  private readonly hashes = new BoundedCache<string, string>(REMEMBERED_KEYS);

  constructor(
    private readonly replica: ConfigurationReplica,
    private readonly secrets: SecretBox,
  ) {}

  /** Whether the text can be a key at all; what cannot be one need not be looked up. */
  isKeyForm(text: string): boolean {
    return isBootstrapKeyForm(text);
  }

  /** @returns undefined for a key that is nobody's. */
  find(key: string): KeyOwner | undefined {
    return this.isKeyForm(key) ? this.replica.apiKey(this.hashOf(key)) : undefined;
  }

  private hashOf(key: string): string {
    const known = this.hashes.get(key);
    if (known !== undefined) return known;
    const hash = this.secrets.keyedHash(key);
    this.hashes.set(key, hash);
    return hash;
  }
}
