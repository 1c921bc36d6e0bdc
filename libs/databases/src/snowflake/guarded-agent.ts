import {
  Agent as HttpAgent,
  type ClientRequest,
  type ClientRequestArgs,
  type IncomingMessage,
} from 'node:http';
import { Agent as HttpsAgent } from 'node:https';
import type { Socket } from 'node:net';
import { connect as connectTls } from 'node:tls';
import type { GuardedSockets } from '@penstock/egress';
import { unreachableReason } from '@penstock/egress';

const PORTS: Readonly<Record<string, number>> = { 'http:': 80, 'https:': 443 };

/** Milliseconds that an idle connection is kept. */
const IDLE_MS = 30_000;

/** The code of errors that the driver does not try again for minutes: whoever calls decides. */
const FINAL = 'ERR_CANCELED';

/** What Node calls with each request. It is no part of what Node declares, and made to be replaced. */
interface Requested {
  addRequest(request: ClientRequest, options: object): void;
}

/** The driver would follow redirections with sockets of Node: it sees none. */
const followNothing = (agent: HttpAgent): void => {
  const requested = agent as HttpAgent & Requested;
  const addRequest = requested.addRequest.bind(agent);
  requested.addRequest = (request, options) => {
    request.prependListener('response', ({ headers }: IncomingMessage) => {
      delete headers.location;
    });
    addRequest(request, options);
  };
};

/** All that the driver of a session reaches servers with: the rules of egress hold for chunks of results too. */
export class GuardedAgents {
  /** By their protocols: the driver asks for one with each request. */
  private readonly agents = new Map<string, HttpAgent>();
  private readonly opened = new Set<Socket>();
  private isClosed = false;
  private reason: string | undefined;

  constructor(private readonly sockets: GuardedSockets) {}

  /** Why a server could not be reached; undefined: it could. */
  get unreachable(): string | undefined {
    return this.reason;
  }

  /** What the driver opens its connections with. */
  readonly of = ({ protocol }: { readonly protocol: string }): HttpAgent => {
    const known = this.agents.get(protocol);
    if (known !== undefined) return known;
    const options = { keepAlive: true, timeout: IDLE_MS };
    const agent = protocol === 'https:' ? new HttpsAgent(options) : new HttpAgent(options);
    agent.createConnection = (request: ClientRequestArgs) => this.open(protocol, request);
    followNothing(agent);
    this.agents.set(protocol, agent);
    return agent;
  };

  /** Ends all connections; there are no more then. */
  close(): void {
    this.isClosed = true;
    for (const socket of this.opened) socket.destroy();
  }

  private open(protocol: string, { host, port }: ClientRequestArgs): Socket {
    const server = { host: host ?? '', port: Number(port ?? PORTS[protocol]) };
    const socket = this.sockets.to(server);
    this.watch(socket);
    if (this.isClosed) process.nextTick(() => socket.destroy(new Error('given up')));
    else socket.connect(server.port, server.host);
    if (protocol !== 'https:') return socket;
    const secured = connectTls({ socket, servername: server.host, host: server.host });
    this.watch(secured);
    return secured;
  }

  private watch(socket: Socket): void {
    this.opened.add(socket);
    socket.once('close', () => {
      this.opened.delete(socket);
    });
    // The first listener of all: what the driver gets has the code.
    socket.on('error', (error: Error) => {
      this.reason ??= unreachableReason(error);
      Object.assign(error, { code: FINAL });
    });
  }
}
