import { once } from 'node:events';
import { createServer, type IncomingMessage } from 'node:http';
import type { AddressInfo } from 'node:net';
import type { Readable } from 'node:stream';
import { text } from 'node:stream/consumers';

/** Which server a spec asks for. The first that asks for a name says how the server is started. */
export interface ServerRequest {
  /** Two specs that ask for the same name get the same server. */
  readonly name: string;
  /** Path of the module that starts it, without an extension. */
  readonly module: string;
  /** The module's function that starts it. */
  readonly start: string;
  readonly options: object;
}

/** A server's description, of which specs get what JSON can hold. */
interface Started {
  stop(): Promise<void>;
}

/** @returns undefined where there is no such server for this machine. */
type Start = (options: object) => Promise<Started | undefined>;
type Starter = Readonly<Record<string, Start>>;

const startAsAsked = async ({
  module,
  start,
  options,
}: ServerRequest): Promise<Started | undefined> => {
  const { [start]: starter } = (await import(module)) as Starter;
  if (starter === undefined) throw new Error(`${module} exports no ${start}`);
  return starter(options);
};

const reasonOf = (error: unknown): string =>
  error instanceof Error ? error.message : String(error);

/** Starts each server when it is first asked for, and remembers a start that has failed: no spec waits for another. */
class Lender {
  private readonly servers = new Map<string, Promise<Started | undefined>>();

  async answerTo(request: IncomingMessage): Promise<{ status: number; body: string }> {
    const asked = JSON.parse(await text(request)) as ServerRequest;
    const starting = this.servers.get(asked.name) ?? startAsAsked(asked);
    this.servers.set(asked.name, starting);
    return starting.then(
      (server) => ({ status: 200, body: JSON.stringify(server ?? null) }),
      (error: unknown) => ({ status: 500, body: reasonOf(error) }),
    );
  }

  async stop(): Promise<void> {
    await Promise.allSettled([...this.servers.values()].map(async (each) => (await each)?.stop()));
  }
}

/**
 * Lends servers to all spec files of a run until the input ends; then stops them and ends this process.
 *
 * @returns the URL that specs ask.
 */
export const lendServers = async (input: Readable): Promise<string> => {
  const lender = new Lender();
  const server = createServer((request, response) => {
    void lender.answerTo(request).then(({ status, body }) => response.writeHead(status).end(body));
  });
  server.listen(0, '127.0.0.1');
  await once(server, 'listening');
  input.resume().once('end', () => void lender.stop().finally(() => process.exit()));
  return `http://127.0.0.1:${(server.address() as AddressInfo).port}`;
};
