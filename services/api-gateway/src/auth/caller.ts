import type { ApiKeyId, OrganizationState, Scope, WorkspaceId } from '@penstock/contracts';
import type { ExecutionContext } from '@nestjs/common';
import type { Request } from 'express';

/** Who makes a request, and on which workspace it acts. */
export interface Caller {
  readonly key: ApiKeyId;
  readonly scope: Scope;
  readonly organization: OrganizationState;
  /** The workspace that the key is of; `null`: it is the organization's. */
  readonly boundTo: WorkspaceId | null;
  /** Empty where the request is about the organization. */
  readonly workspace: WorkspaceId;
}

/** What this service keeps of a request while it is answered. */
export interface ApiRequest extends Request {
  requestId: string;
  /** Set by the guard. */
  caller: Caller;
  /** Its body; empty where it has none. Set by the guard that reads it, after those that look at the key. */
  content: Buffer;
  /** Of a request with an `Idempotency-Key`: what its commands are called by. */
  commandId?: string;
}

export const requestOf = (context: ExecutionContext): ApiRequest =>
  context.switchToHttp().getRequest<ApiRequest>();
