import { type Json, JsonNumber } from '@penstock/schema';
import { once } from 'node:events';
import { type AddressInfo, createServer, type Server, type Socket } from 'node:net';
import { OPTIONS } from '../platform/warehouse-writer.contract';
import { postgresqlPlatform } from './platform/postgresql-platform';

const MIB = 1_048_576;

const platform = postgresqlPlatform({ allow: ['127.0.0.0/8'] });

/** A message of a server of PostgreSQL. */
const message = (kind: string, body: string): Buffer => {
  const head = Buffer.alloc(5);
  head.write(kind, 'latin1');
  head.writeUInt32BE(Buffer.byteLength(body) + 4, 1);
  return Buffer.concat([head, Buffer.from(body)]);
};

const READY = message('Z', 'I');
/** The password is to be sent as it is. */
const ASK_FOR_PASSWORD = message('R', '\0\0\0\u0003');
const LOGGED_IN = Buffer.concat([
  message('R', '\0\0\0\0'),
  message('K', '\0\0\0\0\0\0\0\0'),
  READY,
]);
const DONE = Buffer.concat([message('C', 'SET\0'), READY]);
const NOTICES = Buffer.concat(
  Array.from({ length: 1_000 }, () => message('N', `SNOTICE\0M${'x'.repeat(1_000)}\0\0`)),
);

/** Answers the first connections as a server does, and the later ones with notices without an end. */
class HostileServer {
  static async start(goodConnections: number): Promise<HostileServer> {
    const server = new HostileServer(goodConnections);
    server.server.listen(0, '127.0.0.1');
    await once(server.server, 'listening');
    return server;
  }

  readonly sockets: Socket[] = [];
  readonly passwords: string[] = [];
  private readonly server: Server;

  private constructor(goodConnections: number) {
    this.server = createServer((socket) => {
      this.sockets.push(socket);
      const isGood = this.sockets.length <= goodConnections;
      socket.on('error', () => undefined);
      const answers = [ASK_FOR_PASSWORD, LOGGED_IN];
      socket.on('data', (sent) => {
        const answer = answers.shift();
        if (answer === LOGGED_IN) this.passwords.push(sent.subarray(5, -1).toString());
        if (answer !== undefined) socket.write(answer);
        else if (isGood) socket.write(DONE);
        else flood(socket);
      });
    });
  }

  get settings(): ReadonlyMap<string, Json> {
    const { port } = this.server.address() as AddressInfo;
    return new Map<string, Json>([
      ...([
        ['host', '127.0.0.1'],
        ['port', new JsonNumber(String(port))],
      ] as const),
      ...([
        ['username', 'u'],
        ['password', 'hidden'],
        ['database', 'd'],
      ] as const),
      ...([
        ['schema', 'warehouse'],
        ['sslMode', 'disable'],
      ] as const),
    ]);
  }

  async close(): Promise<void> {
    for (const each of this.sockets) each.destroy();
    this.server.close();
    await once(this.server, 'close');
  }
}

const flood = (socket: Socket): void => {
  const send = (): void => {
    while (!socket.destroyed && socket.bytesWritten < 256 * MIB) if (!socket.write(NOTICES)) return;
    socket.destroy();
  };
  socket.on('drain', send);
  send();
};

it.each([
  ['that looks at it', 0, 'look'],
  ['that opens a writer', 0, 'open'],
  ['that writes', 1, 'begin'],
] as const)(
  'a warehouse that sends without an end is given up by a connection %s',
  async (_, goodConnections, use) => {
    const server = await HostileServer.start(goodConnections);
    const signal = AbortSignal.timeout(20_000);
    const using = async (): Promise<unknown> => {
      if (use === 'look') return (await platform.connect(server.settings, signal)).checkAccess();
      const writers = await platform.openWriter(server.settings, OPTIONS, signal);
      return writers.begin({ role: 'events', epoch: 1 });
    };
    await expect(using()).rejects.toMatchObject({
      ...{ name: 'WarehouseFault', kind: 'unreachable' },
      message: 'the database server has sent more than 16 MiB as one answer',
    });
    expect(new Set(server.passwords)).toEqual(new Set(['hidden']));
    expect(server.sockets.every(({ bytesWritten }) => bytesWritten < 64 * MIB)).toBe(true);
    await server.close();
  },
);
