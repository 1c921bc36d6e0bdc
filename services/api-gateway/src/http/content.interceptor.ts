import type { IncomingMessage } from 'node:http';
import type { CallHandler, ExecutionContext, NestInterceptor } from '@nestjs/common';
import type { Observable } from 'rxjs';
import { requestOf } from './caller';
import { checkCharset } from './charset';
import { HttpRefusal } from './http-refusal';
import { readBody } from './read-body';

/** Source: the API's rulings; intake has a limit of its own. */
const MAX_BODY_BYTES = 512_000;

/**
 * Reads the body of every request that may have one: nothing is said about it before its sender is known, and whatever
 * the handler does with it, its size and type are looked at first.
 */
export class ContentInterceptor implements NestInterceptor {
  async intercept(context: ExecutionContext, next: CallHandler): Promise<Observable<unknown>> {
    const request = requestOf(context);
    if (request.method !== 'GET' && request.method !== 'HEAD') {
      request.content = await readBody(request, MAX_BODY_BYTES);
      if (request.content.length > 0) checkContentType(request);
    }
    return next.handle();
  }
}

/** @throws HttpRefusal UnsupportedMediaType */
const checkContentType = ({ headers }: IncomingMessage): void => {
  const mediaType = headers['content-type']?.split(';', 1)[0]?.trim().toLowerCase();
  const because =
    mediaType === 'application/json' ? undefined : 'Content-Type must be application/json';
  if (because !== undefined) throw new HttpRefusal('UnsupportedMediaType', { because });
  if (headers['content-encoding'] !== undefined && headers['content-encoding'] !== 'identity')
    throw new HttpRefusal('UnsupportedMediaType', {
      because: 'Content-Encoding is not taken here',
    });
  checkCharset(headers);
};
