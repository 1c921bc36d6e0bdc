import type { IncomingMessage } from 'node:http';
import type { BodyShares } from '../http/body-shares';
import { checkCharset } from '../http/charset';
import type { Holding } from '../http/holding';
import { checkDeclaredLength, readAheadBytes, readBody } from '../http/read-body';
import { encodingOf, gunzip } from './decode-body';
import type { EventRoute } from './intake-routes';
import type { IntakeLimits } from './intake-limits';
import { presentedKey } from './presented-key';
import { readEvents } from './read-events';
import type { Received } from './received';
import type { Sources } from './sources';

export interface ReceiverDependencies {
  readonly sources: Sources;
  readonly shares: BodyShares;
  readonly limits: IntakeLimits;
}

/**
 * Receives requests for events. The headers are checked first: length, encoding, charset and key, in this order. So no
 * body is read for an unknown key, and faults that only the body shows (it exceeds the declared limit, it is not gzip)
 * are reported after an unknown key. Without a key in the headers, the body is read to find it.
 */
export class Receiver {
  constructor(private readonly dependencies: ReceiverDependencies) {}

  /**
   * @param holding starts in the share of unknown senders; moved to that of known senders once the key is known.
   * @throws Refusal, HttpRefusal, MalformedBody, ClientGone
   */
  async receive(
    request: IncomingMessage,
    route: EventRoute,
    query: string,
    holding: Holding,
  ): Promise<Received> {
    const { limits, shares } = this.dependencies;
    checkDeclaredLength(request.headers, limits.maxBodyBytes);
    encodingOf(request.headers['content-encoding']);
    checkCharset(request.headers);
    const key = route.key ?? presentedKey(request, query);
    if (key === undefined) return this.receiveWithoutKey(request, route, query, holding);
    if (this.dependencies.sources.find(key) === undefined) await this.lookUp(key, request, holding);
    holding.moveTo(shares.keyed);
    const body = await this.bodyOf(request, holding, limits.bodyTimeoutMs);
    return { request, route, query, key, body, holding };
  }

  private async receiveWithoutKey(
    request: IncomingMessage,
    route: EventRoute,
    query: string,
    holding: Holding,
  ): Promise<Received> {
    const { limits, shares, sources } = this.dependencies;
    const body = await this.bodyOf(request, holding, limits.keylessBodyTimeoutMs);
    const key = readEvents(body, route, limits).writeKey ?? '';
    if (sources.find(key) === undefined) await sources.require(key);
    holding.moveTo(shares.keyed);
    return { request, route, query, key, body, holding };
  }

  private async lookUp(key: string, request: IncomingMessage, holding: Holding): Promise<void> {
    const bytes = readAheadBytes(request);
    holding.add(bytes);
    await this.dependencies.sources.require(key);
    holding.drop(bytes);
  }

  private async bodyOf(
    request: IncomingMessage,
    holding: Holding,
    timeoutMs: number,
  ): Promise<Buffer> {
    const maxBytes = this.dependencies.limits.maxBodyBytes;
    const body = await readBody(request, { maxBytes, timeoutMs, holding });
    return encodingOf(request.headers['content-encoding']) === 'gzip'
      ? gunzip(body, maxBytes, holding)
      : body;
  }
}
