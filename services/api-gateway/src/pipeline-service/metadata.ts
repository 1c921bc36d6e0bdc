import { createParamDecorator, type ExecutionContext } from '@nestjs/common';
import { requestOf } from '../auth/caller';
import { versionIn } from '../http/etag';
import { isDryRun } from '../validation/dry-run';
import type { RequestMetadata } from './pipeline-service';

/** What a handler passes on of the circumstances of its request. */
export const Metadata = createParamDecorator(
  (_: undefined, context: ExecutionContext): RequestMetadata => {
    const request = requestOf(context);
    const { caller, requestId, commandId, method, headers } = request;
    const isConditional = method !== 'GET' && method !== 'HEAD';
    return {
      caller,
      requestId,
      commandId,
      isDryRun: isDryRun(request),
      expectedVersion: isConditional ? versionIn(headers['if-match']) : undefined,
    };
  },
);
