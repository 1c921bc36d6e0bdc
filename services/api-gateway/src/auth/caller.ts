import type { ApiKeyId, OrganizationState, Scope, WorkspaceId } from '@penstock/contracts';
import type { ExecutionContext } from '@nestjs/common';
import type { Request } from 'express';

/** The sender of a request, and the workspace that it acts on. */
export interface Caller {
  readonly key: ApiKeyId;
  readonly scope: Scope;
  readonly organization: OrganizationState;
  /** The workspace that the key is bound to; `null` for a key of the organization. */
  readonly boundTo: WorkspaceId | null;
  /** Empty when the request acts on the organization. */
  readonly workspace: WorkspaceId;
}

/** A request with what this service stores on it until it is answered. */
export interface ApiRequest extends Request {
  requestId: string;
  /** Set by the guard that checks the key. */
  caller: Caller;
  /** The body; empty when there is none. Set by the guard that reads it, which runs after those that check the key. */
  content: Buffer;
  /** Prefix of the ids of its commands; set for requests with an `Idempotency-Key`. */
  commandId?: string;
}

export const requestOf = (context: ExecutionContext): ApiRequest =>
  context.switchToHttp().getRequest<ApiRequest>();
