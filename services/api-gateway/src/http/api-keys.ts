import type { ConfigurationPicture, NewApiKey, OrganizationState } from '@penstock/contracts';
import { isBootstrapKeyForm, type SecretBox } from '@penstock/runtime';
import type { CatchUp } from '../configuration/catch-up';
import { KeyLookUp } from '../configuration/key-look-up';

/** An API key with the organization that it is of. */
export interface KeyOwner {
  readonly key: NewApiKey;
  readonly organization: OrganizationState;
}

/** Finds the owners of API keys; a typo is told from a key by its check sum, before any look-up. */
export class ApiKeys extends KeyLookUp<KeyOwner> {
  constructor(picture: ConfigurationPicture, secrets: SecretBox, catchUp: CatchUp) {
    super(
      { catchUp, keyedHash: (key) => secrets.keyedHash(key) },
      (hash) => picture.apiKey(hash),
      isBootstrapKeyForm,
    );
  }
}
