import { connect } from 'node:net';
import { performance } from 'node:perf_hooks';
import { EventRequests } from './event-requests';
import { ObjectRequests, type ObjectRequestsOptions } from './object-requests';
import { percentile } from './percentile';
import type { Requests } from './requests';
import { type StampedLoad, StampedRequests } from './router/stamped-requests';

/** Requests of events to intake. */
interface EventLoad {
  readonly path: string;
  readonly key: string;
  readonly eventsPerRequest: number;
  readonly prefix: string;
}

export interface LoadOptions {
  readonly port: number;
  readonly load:
    | { readonly events: EventLoad }
    | { readonly objects: ObjectRequestsOptions }
    | { readonly stamped: StampedLoad };
  readonly connections: number;
  readonly seconds: number;
  /** Requests per second; absent: as fast as the answers come. */
  readonly rate?: number;
  /** Maximum number of requests; absent: as many as fit into the time. */
  readonly requests?: number;
}

/** When a request was due, sent and answered, in milliseconds since 1970. */
export interface Exchange {
  readonly nth: number;
  readonly dueMs: number;
  readonly sentMs: number;
  readonly answeredMs: number;
}

/** Latencies count from when a request was due, so that the wait for a connection is included. */
export interface LoadResult {
  /** Requests answered 200. */
  readonly requests: number;
  readonly failed: number;
  readonly seconds: number;
  readonly p50Ms: number;
  readonly p99Ms: number;
  /** Exchanges answered 200; empty without a rate. */
  readonly exchanges: readonly Exchange[];
}

const HEAD_END = Buffer.from('\r\n\r\n');

const requestsOf = (load: LoadOptions['load']): Requests => {
  if ('objects' in load) return new ObjectRequests(load.objects);
  if ('stamped' in load) return new StampedRequests(load.stamped);
  const { path, key, eventsPerRequest, prefix } = load.events;
  return new EventRequests(path, key, eventsPerRequest, prefix);
};

/** Sends over keep-alive connections on bare sockets, one request at a time on each, to use little CPU itself. */
export class LoadGenerator {
  private readonly latencies: number[] = [];
  private readonly exchanges: Exchange[] = [];
  private readonly requests: Requests;
  private next = 0;
  private ok = 0;
  private failed = 0;
  private startMs = 0;
  private endMs = 0;

  constructor(private readonly options: LoadOptions) {
    this.requests = requestsOf(options.load);
  }

  async run(): Promise<LoadResult> {
    const { connections, seconds } = this.options;
    this.startMs = performance.now();
    this.endMs = this.startMs + seconds * 1_000;
    await Promise.all(Array.from({ length: connections }, () => this.connection()));
    const elapsed = (performance.now() - this.startMs) / 1_000;
    this.latencies.sort((a, b) => a - b);
    return {
      requests: this.ok,
      failed: this.failed,
      seconds: elapsed,
      p50Ms: percentile(this.latencies, 0.5),
      p99Ms: percentile(this.latencies, 0.99),
      exchanges: this.exchanges,
    };
  }

  private connection(): Promise<void> {
    return new Promise((resolve, reject) => {
      const { port, requests: most = Number.POSITIVE_INFINITY } = this.options;
      const socket = connect(port, '127.0.0.1');
      socket.setNoDelay(true);
      let nth = 0;
      let dueMs = 0;
      let sentMs = 0;
      let pending: Buffer = Buffer.alloc(0);
      const send = (): void => {
        dueMs = this.nextDueMs();
        if (dueMs >= this.endMs || this.next >= most) {
          socket.end();
          resolve();
          return;
        }
        nth = this.next;
        this.next += 1;
        at(dueMs, () => {
          sentMs = performance.now();
          socket.write(this.requests.bytes(nth));
        });
      };
      socket.on('connect', send);
      socket.on('error', reject);
      socket.on('data', (part: Buffer) => {
        pending = pending.length === 0 ? part : Buffer.concat([pending, part]);
        const answer = answerIn(pending);
        if (answer === undefined) return;
        pending = answer.rest;
        this.note(answer.isOk, { nth, dueMs, sentMs, answeredMs: performance.now() });
        send();
      });
      socket.on('close', () => {
        resolve();
      });
    });
  }

  private nextDueMs(): number {
    const { rate } = this.options;
    return rate === undefined ? performance.now() : this.startMs + (this.next * 1_000) / rate;
  }

  /** @param exchange its times are of `performance.now()`. */
  private note(isOk: boolean, { nth, dueMs, sentMs, answeredMs }: Exchange): void {
    this.latencies.push(answeredMs - dueMs);
    if (isOk) this.ok += 1;
    else this.failed += 1;
    if (!isOk || this.options.rate === undefined) return;
    const { timeOrigin } = performance;
    this.exchanges.push({
      nth,
      dueMs: timeOrigin + dueMs,
      sentMs: timeOrigin + sentMs,
      answeredMs: timeOrigin + answeredMs,
    });
  }
}

interface Answer {
  readonly isOk: boolean;
  /** The bytes after it. */
  readonly rest: Buffer;
}

/** Reads an answer from the received bytes. @returns undefined while it is incomplete. */
const answerIn = (pending: Buffer): Answer | undefined => {
  const headEnd = pending.indexOf(HEAD_END);
  if (headEnd < 0) return undefined;
  const head = pending.toString('latin1', 0, headEnd);
  const length = Number(/content-length: *(\d+)/i.exec(head)?.[1] ?? 0);
  const end = headEnd + HEAD_END.length + length;
  if (pending.length < end) return undefined;
  return { isOk: head.startsWith('HTTP/1.1 200'), rest: pending.subarray(end) };
};

/** Calls `send` at the time or later, never earlier: timers have whole milliseconds. */
const at = (dueMs: number, send: () => void): void => {
  const waitMs = dueMs - performance.now();
  if (waitMs <= 0) send();
  else setTimeout(send, Math.ceil(waitMs));
};
