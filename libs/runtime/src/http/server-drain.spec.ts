import { once } from 'node:events';
import {
  createServer,
  type IncomingMessage,
  type RequestListener,
  type Server,
  type ServerResponse,
} from 'node:http';
import { type AddressInfo, connect, type Socket } from 'node:net';
import { setTimeout as sleep } from 'node:timers/promises';
import { Connections } from './connections';
import { ServerDrain } from './server-drain';

const LIMIT_MS = 30_000;
const HEAD = 'GET / HTTP/1.1\r\nHost: localhost\r\n';
const GET = `${HEAD}\r\n`;
const UPLOAD = 'POST / HTTP/1.1\r\nHost: localhost\r\nContent-Length: 4\r\n';

/** A client that shows what it has received. */
class Client {
  received = '';
  readonly ended: Promise<unknown>;

  private constructor(private readonly socket: Socket) {
    socket.setEncoding('latin1').on('data', (part: string) => (this.received += part));
    this.ended = once(socket, 'close');
    this.ended.catch(() => undefined);
  }

  static async open(): Promise<Client> {
    const socket = connect(port, '127.0.0.1');
    await once(socket, 'connect');
    const client = new Client(socket);
    clients.push(client);
    return client;
  }

  send(text: string): void {
    this.socket.write(text);
  }

  pause(): void {
    this.socket.pause();
  }

  resume(): void {
    this.socket.resume();
  }

  /** Resolves when this many answers have begun. */
  async sees(answers: number): Promise<void> {
    while (this.heads.length < answers) await sleep(5);
  }

  /** The lines of the heads of all answers. */
  get heads(): readonly string[] {
    return [...this.received.matchAll(/HTTP\/1\.1 (?!100)[^]*?\r\n\r\n/g)].map(([head]) => head);
  }

  /** What each answer says about the connection. */
  get connection(): readonly string[] {
    return this.heads.map((head) => /^Connection: ([\w-]+)/m.exec(head)?.[1] ?? 'nothing');
  }

  destroy(): void {
    this.socket.destroy();
  }
}

/** The clock of the server that drains. It stands still unless it is moved, so that no machine is too slow for it. */
class StandingClock {
  /** How often it was looked at. */
  looks = 0;
  private ms = 0;

  nowMs(): number {
    this.looks += 1;
    return this.ms;
  }

  moveTo(ms: number): void {
    this.ms = ms;
  }

  /**
   * Resolves when the drain has looked at the clock twice: it has begun to wait for the next of its times, if it was
   * at one, and has done once what it does while it waits.
   */
  async isSeen(): Promise<void> {
    const until = this.looks + 2;
    while (this.looks < until) await sleep(5);
  }
}

let server: Server;
let clock: StandingClock;
let accepted: Socket[];
let drain: ServerDrain;
let port: number;
let clients: Client[];
let handled: { readonly request: IncomingMessage; readonly response: ServerResponse }[];

/** Answers when the request is complete. */
const answerAll: RequestListener = (request, response) => {
  request.resume().once('end', () => response.end('answered'));
};

const serveWith = async (handle: RequestListener): Promise<void> => {
  server = createServer();
  server.on('connection', (socket) => accepted.push(socket));
  const nowMs = (): number => clock.nowMs();
  const onRequest: RequestListener = (request, response) => {
    handled.push({ request, response });
    handle(request, response);
  };
  drain = new ServerDrain(server, new Connections(server, nowMs), onRequest, nowMs);
  server.listen(0, '127.0.0.1');
  await once(server, 'listening');
  port = (server.address() as AddressInfo).port;
};

const handledAre = async (count: number): Promise<void> => {
  while (handled.length < count) await sleep(5);
};

/** Resolves when the server has accepted a connection of each client, and has received so many bytes on the first. */
const arrived = async (bytes: number): Promise<void> => {
  while (accepted.length < clients.length || (accepted[0]?.bytesRead ?? 0) < bytes) await sleep(5);
};

/** Has a client of its own answered: what the server does at once after what happened before, it has done. */
const roundTrip = async (): Promise<void> => {
  const client = await Client.open();
  client.send(GET);
  await client.sees(1);
};

beforeEach(() => {
  clients = [];
  handled = [];
  accepted = [];
  clock = new StandingClock();
});

afterEach(async () => {
  for (const client of clients) client.destroy();
  await drain.close(0).catch(() => undefined);
});

describe('from its beginning', () => {
  it('answers on old and new connections, and each answer says that it is the last', async () => {
    await serveWith(answerAll);
    const old = await Client.open();
    old.send(GET);
    await old.sees(1);
    drain.begin();
    const young = await Client.open();
    for (const client of [old, young]) client.send(GET);
    await Promise.all([old.ended, young.ended]);
    expect(old.connection).toEqual(['keep-alive', 'close']);
    expect(young.connection).toEqual(['close']);
  });

  it('leaves idle connections open', async () => {
    await serveWith(answerAll);
    const idle = await Client.open();
    idle.send(GET);
    await idle.sees(1);
    drain.begin();
    await roundTrip();
    idle.send(GET);
    await idle.ended;
    expect(idle.connection).toEqual(['keep-alive', 'close']);
  });

  it('tells it with the answer to a request that is under way', async () => {
    await serveWith(() => undefined);
    const client = await Client.open();
    client.send(GET);
    await handledAre(1);
    drain.begin();
    handled[0]?.response.writeHead(200, { 'Content-Length': 2 }).end('ok');
    await client.ended;
    expect(client.connection).toEqual(['close']);
  });

  it('answers all requests that were sent together, and tells it with the last', async () => {
    await serveWith(() => undefined);
    const client = await Client.open();
    client.send(`${GET}${GET}`);
    await handledAre(2);
    drain.begin();
    client.send(GET);
    await handledAre(3);
    for (const { response } of handled) response.end('answered');
    await client.ended;
    expect(client.connection).toEqual(['keep-alive', 'keep-alive', 'close']);
  });

  it('does nothing for a request that came after the answer that says so', async () => {
    await serveWith((_, response) => {
      response.writeHead(200, { 'Content-Length': 4 }).write('12');
    });
    let requests = 0;
    server.on('request', () => (requests += 1));
    const client = await Client.open();
    drain.begin();
    client.send(GET);
    await client.sees(1);
    client.send(GET);
    while (requests < 2) await sleep(5);
    handled[0]?.response.end('34');
    await client.ended;
    expect(handled).toHaveLength(1);
    expect(client.received).toMatch(/\r\n\r\n1234$/);
  });

  it('does not close a connection that is answered while the client sends', async () => {
    await serveWith((_, response) => {
      response.end('refused');
    });
    const client = await Client.open();
    drain.begin();
    client.send(`${UPLOAD}\r\n12`);
    await client.sees(1);
    await roundTrip();
    client.send(`34${GET}`);
    await client.ended;
    expect(client.connection).toEqual(['keep-alive', 'close']);
  });
});

describe('the end', () => {
  const ofClose = () => {
    const done = { is: false };
    const cutOff = drain.close(LIMIT_MS).finally(() => (done.is = true));
    return { cutOff, done };
  };

  /** Resolves when the connection of the first request has been closed. */
  const slowIsCutOff = async (): Promise<void> => {
    while (handled[0]?.request.socket.destroyed !== true) await sleep(5);
  };

  it('closes idle connections, and refuses new ones', async () => {
    await serveWith(answerAll);
    const client = await Client.open();
    client.send(GET);
    await client.sees(1);
    expect(await drain.close(LIMIT_MS)).toBe(0);
    await client.ended;
    await expect(Client.open()).rejects.toMatchObject({ code: 'ECONNREFUSED' });
  });

  it.each([
    ['whose answer is not ready', GET, ''],
    ['that is being uploaded', `${UPLOAD}\r\n12`, '34'],
    ['that waits for 100 (Continue)', `${UPLOAD}Expect: 100-continue\r\n\r\n`, '1234'],
    ['whose head is incomplete', HEAD, '\r\n'],
  ])('waits for a request %s', async (_, first, rest) => {
    let makeReady = (): void => undefined;
    const ready = new Promise<void>((resolve) => (makeReady = resolve));
    await serveWith(({ method }, response) => {
      const { request } = handled[0]!;
      const answer = (): unknown => response.end('answered');
      if (method === 'POST') request.resume().once('end', answer);
      else void ready.then(answer);
    });
    const client = await Client.open();
    client.send(first);
    await arrived(first.length);
    if (first !== HEAD) await handledAre(1);
    const { cutOff, done } = ofClose();
    await clock.isSeen();
    expect(done.is).toBe(false);
    makeReady();
    if (rest !== '') client.send(rest);
    await client.ended;
    expect(client.connection).toEqual(['close']);
    expect(client.received).toContain('answered');
    expect(await cutOff).toBe(0);
  });

  it.each([
    ['was', true],
    ['will be', false],
  ])('delivers a long answer that %s made to a client that reads slowly', async (_, isMade) => {
    const text = 'a'.repeat(20_000_000);
    await serveWith((__, response) => {
      if (isMade) response.end(text);
    });
    const client = await Client.open();
    client.pause();
    client.send(GET);
    await handledAre(1);
    const { cutOff } = ofClose();
    await clock.isSeen();
    if (!isMade) handled[0]?.response.end(text);
    await clock.isSeen();
    client.resume();
    await client.ended;
    expect(client.received.endsWith(text)).toBe(true);
    expect(await cutOff).toBe(0);
  });

  it('cuts off a client that does not read, and answers every request of the others', async () => {
    await serveWith((_, response) => {
      if (handled.length === 1) response.end('a'.repeat(20_000_000));
      else if (handled.length <= 4) response.end('answered');
    });
    server.keepAliveTimeout = 60_000;
    const slow = await Client.open();
    slow.pause();
    slow.send(GET);
    await handledAre(1);
    const others = [await Client.open(), await Client.open(), await Client.open()];
    for (const client of others) client.send(GET);
    for (const client of others) await client.sees(1);
    const cutOff = drain.close(4_000);
    await expect(Client.open()).rejects.toMatchObject({ code: 'ECONNREFUSED' });
    const [soon, late, idle] = others as [Client, Client, Client];
    soon.send(GET);
    await handledAre(5);
    await clock.isSeen();
    handled[4]?.response.end('answered');
    // The drain sees who is slow at 2 s, and cuts them off at 3 s.
    clock.moveTo(2_000);
    await clock.isSeen();
    late.send(GET);
    await handledAre(6);
    clock.moveTo(2_999);
    await clock.isSeen();
    expect(handled[0]?.request.socket.destroyed).toBe(false);
    clock.moveTo(3_000);
    await slowIsCutOff();
    handled[5]?.response.end('answered');
    await Promise.all(others.map(({ ended }) => ended));
    expect([soon, late, idle].map(({ connection }) => connection)).toEqual([
      ['keep-alive', 'close'],
      ['keep-alive', 'close'],
      ['keep-alive'],
    ]);
    expect(await cutOff).toBe(1);
  });

  it('cuts off no client with a slow one whose answer has come a moment ago', async () => {
    const text = 'a'.repeat(20_000_000);
    await serveWith((_, response) => {
      if (handled.length === 1) response.end(text);
    });
    const [slow, late] = [await Client.open(), await Client.open()];
    for (const client of [slow, late]) {
      client.pause();
      client.send(GET);
      await handledAre(client === slow ? 1 : 2);
    }
    const cutOff = drain.close(6_000);
    clock.moveTo(4_000);
    await clock.isSeen();
    handled[1]?.response.end(text);
    clock.moveTo(5_000);
    await slowIsCutOff();
    late.resume();
    await late.ended;
    expect(late.received.endsWith(text)).toBe(true);
    expect(await cutOff).toBe(1);
  });

  it('closes a connection whose last answer had begun before anybody knew', async () => {
    await serveWith((_, response) => {
      response.write('one ');
    });
    const client = await Client.open();
    client.send(GET);
    await client.sees(1);
    const { cutOff } = ofClose();
    await clock.isSeen();
    handled[0]?.response.end('two');
    await client.ended;
    expect(client.received).toMatch(/one [^]*two/);
    expect(await cutOff).toBe(0);
  });

  it('gives a new connection the time for its first request, and no more', async () => {
    await serveWith(answerAll);
    const [busy, silent] = [await Client.open(), await Client.open()];
    await arrived(0);
    const { cutOff, done } = ofClose();
    clock.moveTo(999);
    await clock.isSeen();
    busy.send(GET);
    await busy.ended;
    expect(busy.connection).toEqual(['close']);
    await clock.isSeen();
    expect(done.is).toBe(false);
    clock.moveTo(1_000);
    await silent.ended;
    expect(await cutOff).toBe(0);
  });

  it('cuts off and counts what takes longer than the limit', async () => {
    await serveWith(() => undefined);
    const client = await Client.open();
    client.send(GET);
    await handledAre(1);
    const { cutOff, done } = ofClose();
    clock.moveTo(LIMIT_MS - 1);
    await clock.isSeen();
    expect(done.is).toBe(false);
    clock.moveTo(LIMIT_MS);
    expect(await cutOff).toBe(1);
    await client.ended;
    expect(client.received).toBe('');
  });
});
