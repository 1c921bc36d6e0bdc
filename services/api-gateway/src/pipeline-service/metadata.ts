import { createParamDecorator, type ExecutionContext } from '@nestjs/common';
import type { Response } from 'express';
import { requestOf } from '../auth/caller';
import { callerGone } from '../http/caller-gone';
import { versionIn } from '../http/etag';
import { isDryRun } from '../validation/dry-run';
import type { RequestMetadata } from './pipeline-service';

/** Injects the metadata of the request into a handler. */
export const Metadata = createParamDecorator(
  (_: undefined, context: ExecutionContext): RequestMetadata => {
    const request = requestOf(context);
    const { caller, requestId, commandId, method, headers } = request;
    const response = context.switchToHttp().getResponse<Response>();
    const isConditional = method !== 'GET' && method !== 'HEAD';
    return {
      caller,
      requestId,
      commandId,
      gone: () => callerGone(response),
      isDryRun: isDryRun(request),
      expectedVersion: isConditional ? versionIn(headers['if-match']) : undefined,
    };
  },
);
