import type { IncomingMessage, ServerResponse } from 'node:http';
import { type CanActivate, type ExecutionContext, Injectable } from '@nestjs/common';
import { Refusal } from '@penstock/contracts';
import { isJsonObject, pointer } from '@penstock/schema';
import { requestOf } from '../auth/caller';
import { BodyShares } from '../http/body-shares';
import { checkCharset } from '../http/charset';
import { Holding } from '../http/holding';
import { HttpRefusal } from '../http/http-refusal';
import { readBody } from '../http/read-body';
import { malformed, readJson } from '../http/read-json';
import { bodyOf } from './json-body';

/** Source: the API's rulings; intake has a limit of its own. */
const MAX_BODY_BYTES = 512_000;
const BODY_TIMEOUT_MS = 30_000;

/**
 * Reads the body of every request that may have one, and checks its size and type. Runs after the key has been checked,
 * and whether or not the handler uses the body.
 */
@Injectable()
export class ContentGuard implements CanActivate {
  /** @param shares are charged with every body until its request has been answered. */
  constructor(private readonly shares: BodyShares) {}

  /** @throws Refusal */
  async canActivate(context: ExecutionContext): Promise<boolean> {
    const request = requestOf(context);
    if (request.method !== 'GET' && request.method !== 'HEAD') {
      request.content = await this.read(request, context.switchToHttp().getResponse());
      if (request.content.length > 0) {
        checkContentType(request);
        const prototype = context.getClass<object>().prototype as object;
        if (bodyOf(prototype, context.getHandler().name) === undefined)
          checkNothing(request.content);
      }
    }
    return true;
  }

  private read(request: IncomingMessage, response: ServerResponse): Promise<Buffer> {
    const holding = new Holding(this.shares.api);
    response.once('close', () => {
      holding.release();
    });
    return readBody(request, { maxBytes: MAX_BODY_BYTES, timeoutMs: BODY_TIMEOUT_MS, holding });
  }
}

/** For a handler without a body: accepts only an object without members. @throws Refusal BadRequest */
const checkNothing = (content: Buffer): void => {
  const json = readJson(content);
  if (!isJsonObject(json)) throw malformed('', 'must be an object');
  const details = Array.from(json.keys(), (name) => ({
    path: pointer(name),
    message: 'unknown property',
  }));
  if (details.length > 0) throw new Refusal('BadRequest', { details });
};

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
