import { setTimeout as sleep } from 'node:timers/promises';
import { Agent, request } from 'undici';
import { Balancer } from '../harness/balancer';
import { ObedientClient } from '../harness/obedient-client';
import { bodyOf, type FanOutEvent } from './fan-out-event';
import type { FanOut } from './fan-out';

/** Rate and number of users. */
export interface FanOutSenderOptions {
  /** Rate of all sources together. */
  readonly eventsPerSecond: number;
  /** Default 20. */
  readonly usersPerSource?: number;
  /** Whether every second client keeps a connection of its own; default: all share a pool. */
  readonly haveOwnConnections?: boolean;
}

/** An event that a gateway has answered 200. */
export interface Accepted {
  readonly event: FanOutEvent;
  /** Time of the answer, by the monotonic clock. */
  readonly atMs: number;
}

/** Users that share each request; the next one is sent after its answer. */
const USERS_PER_REQUEST = 5;
/** Events of each user in one request. */
const EVENTS_PER_USER = 2;

const PATH = '/v1/batch';
const RETRY_MS = 50;
const REQUEST_TIMEOUT_MS = 10_000;

/** Longer than any outage of the specs. */
const GIVE_UP_MS = 180_000;

/** Sends the events of some users of a source, one request after the other. */
interface Client {
  readonly source: number;
  readonly users: readonly number[];
  /** Undefined: it uses the pool. */
  readonly own: ObedientClient | undefined;
  next: number;
}

/** Clients of every source that keep the order of each user and repeat failed requests at another gateway. */
export class FanOutSender {
  /** Accepted events, in the order of the answers. */
  readonly accepted: Accepted[] = [];
  /** Number of other requests, by status or error code. */
  readonly refused = new Map<string, number>();
  private balancer: Balancer;
  private readonly agent: Agent;
  private readonly clients: Client[] = [];
  private isClosed = false;
  private isStopped = false;

  constructor(
    private readonly fanOut: FanOut,
    private readonly options: FanOutSenderOptions,
  ) {
    this.balancer = new Balancer(fanOut.installation.gateways.map(({ address }) => address));
    this.agent = new Agent({
      headersTimeout: REQUEST_TIMEOUT_MS,
      bodyTimeout: REQUEST_TIMEOUT_MS,
    });
    const { usersPerSource = 20, haveOwnConnections = false } = options;
    for (let source = 0; source < fanOut.sources.length; source += 1)
      for (let first = 0; first < usersPerSource; first += USERS_PER_REQUEST)
        this.clients.push({
          source,
          own:
            haveOwnConnections && this.clients.length % 2 === 1
              ? new ObedientClient(this.balancer)
              : undefined,
          users: Array.from({ length: USERS_PER_REQUEST }, (_, index) => first + index),
          next: 0,
        });
  }

  /** Number of connections that a gateway has closed without having said so; of clients with one of their own. */
  get cutOff(): number {
    return this.clients.reduce((sum, { own }) => sum + (own?.cutOff ?? 0), 0);
  }

  /** Sends at least `count` more events at the steady rate; resolves when all were answered 200. */
  send(count: number, eventsPerSecond = this.options.eventsPerSecond): Promise<void> {
    const sent = this.sendAll(count, eventsPerSecond);
    // Avoids an unhandled rejection when the test fails before it awaits this.
    sent.catch(() => undefined);
    return sent;
  }

  /**
   * Sends until {@link stop}; resolves when all were answered 200.
   *
   * @param eventsPerSecond default: the steady rate.
   */
  sendUntilStopped(eventsPerSecond?: number): Promise<void> {
    return this.send(Number.POSITIVE_INFINITY, eventsPerSecond);
  }

  /** Lets {@link sendUntilStopped} end. */
  stop(): void {
    this.isStopped = true;
  }

  /** Sends further events to other gateways. */
  async moveTo(addresses: readonly string[]): Promise<void> {
    await this.balancer.close();
    this.balancer = new Balancer(addresses);
  }

  async close(): Promise<void> {
    this.isClosed = true;
    for (const { own } of this.clients) own?.leave();
    await Promise.all([this.balancer.close(), this.agent.destroy()]);
  }

  private async sendAll(count: number, eventsPerSecond: number): Promise<void> {
    this.isStopped = false;
    const begin = performance.now();
    const perRequest = USERS_PER_REQUEST * EVENTS_PER_USER;
    const rounds = Math.ceil(count / (this.clients.length * perRequest));
    const pauseMs = (perRequest * 1_000) / eventsPerSecond;
    await Promise.all(
      this.clients.map(async (client, index) => {
        for (let round = 0; round < rounds; round += 1) {
          const dueMs = begin + (round * this.clients.length + index) * pauseMs;
          await sleep(Math.max(0, dueMs - performance.now()));
          if (this.isStopped) return;
          await this.sendFrom(client);
        }
      }),
    );
  }

  private async sendFrom(client: Client): Promise<void> {
    const { source, users, next } = client;
    const events: FanOutEvent[] = [];
    for (let number = next; number < next + EVENTS_PER_USER; number += 1)
      for (const user of users) events.push({ source, user, number });
    client.next += EVENTS_PER_USER;
    const body = JSON.stringify({ batch: events.map(bodyOf) });
    for (const deadline = performance.now() + GIVE_UP_MS; ; await sleep(RETRY_MS)) {
      const outcome = await this.post(client, body);
      if (outcome === '200') break;
      this.refused.set(outcome, (this.refused.get(outcome) ?? 0) + 1);
      if (this.isClosed || performance.now() > deadline)
        throw new Error(`not accepted: ${outcome}`);
    }
    const atMs = performance.now();
    for (const event of events) this.accepted.push({ event, atMs });
  }

  /** @returns the status, or the code of the error. */
  private async post({ source, own }: Client, body: string): Promise<string> {
    const headers = {
      authorization: `Bearer ${this.fanOut.sources[source]?.writeKey ?? ''}`,
      'content-type': 'application/json',
    };
    if (own !== undefined)
      return (await own.send({ method: 'POST', path: PATH, headers, body })).outcome;
    const address = this.balancer.next();
    try {
      const sent = { dispatcher: this.agent, method: 'POST', headers, body } as const;
      const { statusCode, body: answer } = await request(`${address}${PATH}`, sent);
      await answer.dump();
      return String(statusCode);
    } catch (error) {
      this.balancer.failed(address);
      return (error as NodeJS.ErrnoException).code ?? String(error);
    }
  }
}
