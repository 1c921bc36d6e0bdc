import { setTimeout as sleep } from 'node:timers/promises';
import type { Balancer } from '../harness/balancer';
import { type ObedientAnswer, ObedientClient } from '../harness/obedient-client';
import type { FanOut } from './fan-out';
import { sized } from './sizes';

const READERS = sized(2, 4);
const CHANGERS = sized(1, 2);
const PAUSE_MS = sized(100, 50);

const PATHS = ['/v1/connections', '/v1/pipelines', '/v1/connectors', '/v1/workspaces/current'];

/** The prefix of the names of all connections that it creates, and deletes again. */
const NAME = 'Passing';

/**
 * Reads and changes of the configuration without a pause, by clients that obey `Connection: close`. Half of the readers
 * use a new connection for each request. No request is repeated.
 */
export class ApiTraffic {
  reads = 0;
  changes = 0;
  /** Requests that were not answered 200. */
  readonly failures: string[] = [];
  private readonly clients: ObedientClient[] = [];
  private readonly running: Promise<unknown>;
  private isStopped = false;

  constructor(
    private readonly fanOut: FanOut,
    private readonly balancer: Balancer,
  ) {
    const readers = Array.from({ length: READERS }, (_, number) => this.read(number));
    const changers = Array.from({ length: CHANGERS }, (_, number) => this.change(number));
    this.running = Promise.all([...readers, ...changers]);
  }

  /** Number of connections that a gateway has closed without having said so. */
  get cutOff(): number {
    return this.clients.reduce((sum, { cutOff }) => sum + cutOff, 0);
  }

  /** Resolves when the last requests are answered. */
  async stop(): Promise<void> {
    this.isStopped = true;
    await this.running;
    for (const client of this.clients) client.leave();
  }

  /** Names of created connections that were not deleted: a creation that was executed twice leaves one. */
  async leftOver(): Promise<readonly string[]> {
    const { text } = await this.call(this.client(), 'GET', '/v1/connections');
    const { connections } = JSON.parse(text) as { connections: { name: string }[] };
    return connections.map(({ name }) => name).filter((name) => name.startsWith(NAME));
  }

  private async read(number: number): Promise<void> {
    const client = this.client();
    for (; !this.isStopped; await sleep(PAUSE_MS)) {
      await this.call(client, 'GET', PATHS[this.reads % PATHS.length] ?? '');
      this.reads += 1;
      if (number % 2 === 0) client.leave();
    }
  }

  private async change(number: number): Promise<void> {
    const client = this.client();
    const { destinations } = this.fanOut.plan;
    const destination = destinations[number % destinations.length]?.name ?? '';
    for (let round = 0; !this.isStopped; round += 1) {
      const name = `${NAME} ${String(number)}/${String(round)}`;
      const body = { name, role: 'Source', connector: 'nodejs' };
      const { outcome, text } = await this.call(client, 'POST', '/v1/connections', body);
      await sleep(PAUSE_MS);
      const live = `/v1/connections/${this.fanOut.destinationId(destination)}`;
      await this.call(client, 'PUT', live, { name: `${destination} ${String(round)}` });
      await sleep(PAUSE_MS);
      this.changes += 2;
      if (outcome !== '200') continue;
      const { id } = JSON.parse(text) as { id: string };
      await this.call(client, 'DELETE', `/v1/connections/${id}`);
      this.changes += 1;
    }
  }

  private client(): ObedientClient {
    const client = new ObedientClient(this.balancer);
    this.clients.push(client);
    return client;
  }

  private async call(
    client: ObedientClient,
    method: string,
    path: string,
    body?: object,
  ): Promise<ObedientAnswer> {
    const answer = await client.send({
      method,
      path,
      headers: {
        authorization: `Bearer ${this.fanOut.installation.apiKey}`,
        ...(body && { 'content-type': 'application/json' }),
      },
      ...(body && { body: JSON.stringify(body) }),
    });
    if (answer.outcome !== '200')
      this.failures.push(`${method} ${path}: ${answer.outcome} ${answer.text}`);
    return answer;
  }
}
