import { setTimeout as sleep } from 'node:timers/promises';
import { Pool } from 'undici';

export interface SteadySenderOptions {
  /** URL of the gateway. */
  readonly address: string;
  readonly writeKey: string;
  /** Number of order keys that send concurrently; each waits for the answer before its next event. */
  readonly keys: number;
  /** Rate of all keys together. */
  readonly eventsPerSecond: number;
}

/** One event that was sent. */
export interface Sent {
  readonly key: string;
  readonly number: number;
}

export interface Answer {
  /** The status, or the code of the error. */
  readonly outcome: string;
  /** NaN when the answer has no Retry-After. */
  readonly retryAfterS: number;
}

const eventOf = ({ key, number }: Sent): object => ({
  type: 'track',
  event: 'Tick',
  anonymousId: key,
  messageId: `${key}/${String(number)}`,
  properties: { number },
});

const RETRY_MS = 50;
const REQUEST_TIMEOUT_MS = 10_000;

/** Longer than any outage of the specs. */
const GIVE_UP_MS = 120_000;

/** A client that waits for each answer and repeats events that were not answered 200. */
export class SteadySender {
  /** Events answered 200, in the order of the answers. */
  readonly accepted: Sent[] = [];
  /** Number of other attempts, by status or error code. */
  readonly refused = new Map<string, number>();
  private readonly pool: Pool;
  private perKey = 0;

  constructor(private readonly options: SteadySenderOptions) {
    this.pool = new Pool(options.address, {
      connections: options.keys,
      headersTimeout: REQUEST_TIMEOUT_MS,
      bodyTimeout: REQUEST_TIMEOUT_MS,
    });
  }

  /** Sends `count` more events at the steady rate; resolves when all were answered 200. */
  send(count: number): Promise<void> {
    const sent = this.sendAll(count);
    // Avoids an unhandled rejection when the test fails before it awaits this.
    sent.catch(() => undefined);
    return sent;
  }

  close(): Promise<void> {
    return this.pool.destroy();
  }

  private async sendAll(count: number): Promise<void> {
    const { keys, eventsPerSecond } = this.options;
    const begin = performance.now();
    const first = this.perKey;
    const rounds = Math.ceil(count / keys);
    this.perKey += rounds;
    await Promise.all(
      Array.from({ length: keys }, async (_, key) => {
        for (let round = 0; round < rounds; round += 1) {
          const dueMs = begin + ((round * keys + key) * 1_000) / eventsPerSecond;
          await sleep(Math.max(0, dueMs - performance.now()));
          await this.sendOne({ key: `key-${String(key)}`, number: first + round });
        }
      }),
    );
  }

  /** Sends one event, once. */
  async post(event: object): Promise<Answer> {
    try {
      const { statusCode, headers, body } = await this.pool.request({
        method: 'POST',
        path: '/v1/events',
        headers: {
          authorization: `Bearer ${this.options.writeKey}`,
          'content-type': 'application/json',
        },
        body: JSON.stringify(event),
      });
      await body.dump();
      return { outcome: String(statusCode), retryAfterS: Number(headers['retry-after']) };
    } catch (error) {
      return { outcome: (error as NodeJS.ErrnoException).code ?? String(error), retryAfterS: NaN };
    }
  }

  private async sendOne(sent: Sent): Promise<void> {
    for (const deadline = performance.now() + GIVE_UP_MS; ; await sleep(RETRY_MS)) {
      const { outcome } = await this.post(eventOf(sent));
      if (outcome === '200') break;
      this.refused.set(outcome, (this.refused.get(outcome) ?? 0) + 1);
      if (performance.now() > deadline || this.pool.destroyed)
        throw new Error(`not accepted: ${outcome}`);
    }
    this.accepted.push(sent);
  }
}
