import { Injectable } from '@nestjs/common';
import {
  type ApiKeyId,
  isIdForm,
  type NewApiKey,
  Refusal,
  type WorkspaceId,
} from '@penstock/contracts';
import { newApiKey, newId, SecretBox } from '@penstock/runtime';
import type { Caller } from '../auth/caller';
import { malformed } from '../http/read-json';
import { instantIn } from '../http/rfc-3339';
import type { CreateKeyDto } from './create-key.dto';

const HINT_LENGTH = 4;

/** Creates API keys; the log holds only a hash and a hint of each. */
@Injectable()
export class NewKeys {
  constructor(private readonly secrets: SecretBox) {}

  /** @throws Refusal BadRequest, WorkspaceNotExist */
  make(
    { name, scope, ...body }: CreateKeyDto,
    caller: Caller,
  ): { readonly key: string; readonly record: NewApiKey } {
    const expiresAt = (body.expiresAt == null ? undefined : instantIn(body.expiresAt)) ?? null;
    if (expiresAt !== null && Date.parse(expiresAt) <= Date.now())
      throw malformed('/expiresAt', 'must be in the future');
    const key = newApiKey();
    const record = {
      id: newId() as ApiKeyId,
      name,
      scope,
      workspace: workspaceOf(body.workspace ?? null, caller),
      hash: this.secrets.keyedHash(key),
      hint: `${key.slice(0, HINT_LENGTH)}…${key.slice(-HINT_LENGTH)}`,
      expiresAt,
    };
    return { key, record };
  }
}

/** Determines the workspace of the new key: a bound key creates keys of its own workspace only. */
const workspaceOf = (wanted: string | null, { boundTo }: Caller): WorkspaceId | null => {
  if (wanted === null) return boundTo;
  if (!isIdForm(wanted) || (boundTo !== null && wanted !== boundTo))
    throw new Refusal('WorkspaceNotExist');
  return wanted as WorkspaceId;
};
