import type { ApiKeyId, NewApiKey } from '@penstock/contracts';
import { newId, type SecretBox } from '@penstock/runtime';

const hintOf = (key: string): string => `${key.slice(0, 4)}…${key.slice(-4)}`;

/** An admin key of the organization that the operator is given outside the API. */
export const adminKey = (name: string, plain: string, secrets: SecretBox): NewApiKey => ({
  id: newId() as ApiKeyId,
  name,
  scope: 'admin',
  workspace: null,
  hash: secrets.keyedHash(plain),
  hint: hintOf(plain),
  expiresAt: null,
});
