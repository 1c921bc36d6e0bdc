import { createParamDecorator, type ExecutionContext } from '@nestjs/common';
import { requestOf } from '../auth/caller';
import { versionIn } from '../http/etag';
import type { RequestMetadata } from './pipeline-service';

/** What a handler passes on of the circumstances of its request. */
export const Metadata = createParamDecorator(
  (_: undefined, context: ExecutionContext): RequestMetadata => {
    const { caller, requestId, commandId, method, headers } = requestOf(context);
    const isConditional = method === 'PUT' || method === 'DELETE';
    return {
      caller,
      requestId,
      commandId,
      expectedVersion: isConditional ? versionIn(headers['if-match']) : undefined,
    };
  },
);
