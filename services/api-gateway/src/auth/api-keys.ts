import { Injectable } from '@nestjs/common';
import { ConfigurationReplica, type NewApiKey, type OrganizationState } from '@penstock/contracts';
import { isBootstrapKeyForm, SecretBox } from '@penstock/runtime';
import { BoundedCache } from '../cache/bounded-cache';

const REMEMBERED_KEYS = 10_000;

/** An API key with the organization that it belongs to. */
export interface KeyOwner {
  readonly key: NewApiKey;
  readonly organization: OrganizationState;
}

/** Finds the owners of API keys in the replica. A mistyped key is detected by its checksum, without a look-up. */
@Injectable()
export class ApiKeys {
  private readonly hashes = new BoundedCache<string, string>(REMEMBERED_KEYS);

  constructor(
    private readonly replica: ConfigurationReplica,
    private readonly secrets: SecretBox,
  ) {}

  /** Checks the form of a key; a text of another form need not be looked up. */
  isKeyForm(text: string): boolean {
    return isBootstrapKeyForm(text);
  }

  /** @returns undefined for an unknown key. */
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
