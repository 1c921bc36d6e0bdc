import { egressRules, type Resolve, systemResolve } from '@penstock/egress';
import { Agent } from 'undici';
import {
  type Download,
  type DownloadRequest,
  GuardedHttp,
  NoAnswer,
  NotWritten,
  type IncomingResponse,
  type OutgoingRequest,
  type UploadRequest,
} from '../connector/guarded-http';
import { USER_AGENT } from '../connector/user-agent';
import { downloadThrough } from './download';
import { Exchange } from './exchange';
import { ExchangesBySignal } from './exchanges-by-signal';
import { guardedConnect } from './guarded-connect';
import { httpUrl } from './http-url';
import { MAX_REDIRECTS, redirected } from './redirect';
import { uploadThrough } from './upload';

/** Limits of requests to systems outside, and which addresses they may reach. */
export interface GuardedHttpOptions {
  /** CIDR ranges that are allowed beside public addresses, e.g. `127.0.0.0/8` in tests. */
  readonly allow: readonly string[];
  /** For name resolution, TCP and TLS together; default 5,000. */
  readonly connectTimeoutMs?: number;
  /** Of an answer's body, what is beyond is discarded; default 1 MiB. */
  readonly maxAnswerBytes?: number;
  /** Default 256. */
  readonly maxConnectionsPerOrigin?: number;
  /** How long an unused connection is kept when the server sends no `Keep-Alive`; default 4,000. */
  readonly keepAliveMs?: number;
  /** Default: `systemResolve`. */
  readonly resolve?: Resolve;
  /** Certificates of authorities (PEM) that are trusted instead of Node's; default: Node's. */
  readonly authorities?: string;
}

/**
 * The way out, on undici.
 *
 * @throws RangeError on a range that is not a CIDR range.
 */
export const createGuardedHttp = ({
  allow,
  connectTimeoutMs = 5_000,
  maxAnswerBytes = 1_048_576,
  maxConnectionsPerOrigin = 256,
  keepAliveMs = 4_000,
  resolve = systemResolve,
  authorities,
}: GuardedHttpOptions): GuardedHttp => {
  const agent = new Agent({
    connect: guardedConnect(egressRules(allow), resolve, connectTimeoutMs, authorities),
    connections: maxConnectionsPerOrigin,
    keepAliveTimeout: keepAliveMs,
    bodyTimeout: 0,
    headersTimeout: 0,
  });
  return new UndiciGuardedHttp(agent, maxAnswerBytes);
};

class UndiciGuardedHttp extends GuardedHttp {
  private readonly exchanges = new ExchangesBySignal();

  constructor(
    private readonly agent: Agent,
    private readonly maxAnswerBytes: number,
  ) {
    super();
  }

  override async request(request: OutgoingRequest, signal: AbortSignal): Promise<IncomingResponse> {
    const until = performance.now() + request.timeoutMs;
    let current = request;
    for (let redirects = 0; ; redirects += 1) {
      const exchange = this.exchange(current, until, signal);
      const response = await (redirects === 0 ? exchange : exchange.catch(writtenOnce));
      const next = redirects < MAX_REDIRECTS ? redirected(current, response) : undefined;
      if (next === undefined) return response;
      current = next;
    }
  }

  override download(request: DownloadRequest, signal: AbortSignal): Promise<Download> {
    return downloadThrough(this.agent, request, signal);
  }

  override upload(request: UploadRequest, signal: AbortSignal): Promise<IncomingResponse> {
    return uploadThrough(this.agent, this.maxAnswerBytes, request, signal);
  }

  override close(): Promise<void> {
    return this.agent.close();
  }

  private exchange(
    { method, url, headers, body, timeoutMs, mayWrite = always }: OutgoingRequest,
    until: number,
    signal: AbortSignal,
  ): Promise<IncomingResponse> {
    const { origin, pathname, search } = httpUrl(url);
    if (signal.aborted) throw new NoAnswer('request was given up');
    const siblings = this.exchanges.of(signal);
    return new Promise((resolve, reject) => {
      const exchange = new Exchange(this.maxAnswerBytes, mayWrite, settle(resolve), settle(reject));
      const timer = setTimeout(() => {
        exchange.giveUp(`no answer within ${String(timeoutMs / 1_000)} s`);
      }, until - performance.now());
      function settle<Result>(end: (result: Result) => void): (result: Result) => void {
        return (result) => {
          clearTimeout(timer);
          siblings.delete(exchange);
          end(result);
        };
      }

      siblings.add(exchange);
      this.agent.dispatch(
        {
          origin,
          path: pathname + search,
          method,
          headers: { ...headers, 'User-Agent': USER_AGENT },
          body: body ?? null,
        },
        exchange,
      );
    });
  }
}

const always = (): boolean => true;

/** Behind a redirect it is no longer true that nothing was written. */
const writtenOnce = (error: unknown): never => {
  throw error instanceof NotWritten ? new NoAnswer(error.message) : error;
};
