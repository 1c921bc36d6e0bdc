import type { ApiKeyId, Instant, OrganizationId, WorkspaceId } from './ids';

/** What an API key may do: each of the first three includes the ones before it, `mcp` stands alone. */
export type Scope = 'read' | 'write' | 'admin' | 'mcp';

/** An API key as it is created. */
export interface NewApiKey {
  readonly id: ApiKeyId;
  readonly name: string;
  readonly scope: Scope;
  /** `null`: the key is the organization's, and the request names the workspace. */
  readonly workspace: WorkspaceId | null;
  /** Keyed hash; the key itself is stored nowhere. */
  readonly hash: string;
  /** First four and last four characters, for people. */
  readonly hint: string;
  readonly expiresAt: Instant | null;
}

/** Everything that can happen to an organization. Kept for ever, as {@link ConnectionFact}. */
export type OrganizationFact =
  | {
      readonly type: 'OrganizationCreated';
      readonly data: { readonly id: OrganizationId; readonly name: string };
    }
  | { readonly type: 'ApiKeyCreated'; readonly data: NewApiKey }
  | { readonly type: 'ApiKeyRevoked'; readonly data: { readonly id: ApiKeyId } }
  /** A disabled organization keeps everything and can do nothing but be enabled again. */
  | { readonly type: 'OrganizationStatusSet'; readonly data: { readonly enabled: boolean } };
