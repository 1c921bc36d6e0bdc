import { connect } from 'node:net';
import { performance } from 'node:perf_hooks';
import { RequestTemplate } from './event-template';

export interface LoadOptions {
  readonly port: number;
  readonly path: string;
  readonly key: string;
  readonly eventsPerRequest: number;
  readonly connections: number;
  readonly seconds: number;
  /** Events a second; absent: as fast as the answers come. */
  readonly rate?: number;
  readonly prefix: string;
}

export interface LoadResult {
  readonly events: number;
  readonly failed: number;
  readonly seconds: number;
  readonly p50Ms: number;
  readonly p99Ms: number;
}

const HEAD_END = Buffer.from('\r\n\r\n');

const at = (sorted: readonly number[], share: number): number =>
  sorted[Math.min(sorted.length - 1, Math.floor(sorted.length * share))] ?? 0;

/** Keep-alive connections over bare sockets, one request at a time on each: little CPU beside the server. */
export class LoadGenerator {
  private readonly latencies: number[] = [];
  private readonly template: RequestTemplate;
  private next = 0;
  private ok = 0;
  private failed = 0;
  private startMs = 0;
  private endMs = 0;

  constructor(private readonly options: LoadOptions) {
    const { path, key, eventsPerRequest, prefix } = options;
    this.template = new RequestTemplate(path, key, eventsPerRequest, prefix);
  }

  async run(): Promise<LoadResult> {
    const { connections, seconds, eventsPerRequest } = this.options;
    this.startMs = performance.now();
    this.endMs = this.startMs + seconds * 1_000;
    await Promise.all(Array.from({ length: connections }, () => this.connection()));
    const elapsed = (performance.now() - this.startMs) / 1_000;
    this.latencies.sort((a, b) => a - b);
    return {
      events: this.ok * eventsPerRequest,
      failed: this.failed * eventsPerRequest,
      seconds: elapsed,
      p50Ms: at(this.latencies, 0.5),
      p99Ms: at(this.latencies, 0.99),
    };
  }

  private connection(): Promise<void> {
    return new Promise((resolve, reject) => {
      const socket = connect(this.options.port, '127.0.0.1');
      socket.setNoDelay(true);
      let sentMs = 0;
      let pending: Buffer = Buffer.alloc(0);
      const send = (): void => {
        if (performance.now() >= this.endMs) {
          socket.end();
          resolve();
          return;
        }
        const number = this.next;
        this.next += this.options.eventsPerRequest;
        this.whenDue(number, () => {
          sentMs = performance.now();
          socket.write(this.template.numbered(number));
        });
      };
      socket.on('connect', send);
      socket.on('error', reject);
      socket.on('data', (part: Buffer) => {
        pending = pending.length === 0 ? part : Buffer.concat([pending, part]);
        const rest = this.answered(pending, sentMs);
        if (rest === undefined) return;
        pending = rest;
        send();
      });
      socket.on('close', () => {
        resolve();
      });
    });
  }

  private whenDue(number: number, send: () => void): void {
    const { rate } = this.options;
    const dueMs = rate === undefined ? 0 : this.startMs + (number * 1_000) / rate;
    const waitMs = dueMs - performance.now();
    if (waitMs <= 0) send();
    else setTimeout(send, waitMs);
  }

  /** @returns what is behind the answer; undefined while it is not complete. */
  private answered(pending: Buffer, sentMs: number): Buffer | undefined {
    const headEnd = pending.indexOf(HEAD_END);
    if (headEnd < 0) return undefined;
    const head = pending.toString('latin1', 0, headEnd);
    const length = Number(/content-length: *(\d+)/i.exec(head)?.[1] ?? 0);
    const end = headEnd + HEAD_END.length + length;
    if (pending.length < end) return undefined;
    this.latencies.push(performance.now() - sentMs);
    if (head.startsWith('HTTP/1.1 200')) this.ok += 1;
    else this.failed += 1;
    return pending.subarray(end);
  }
}
