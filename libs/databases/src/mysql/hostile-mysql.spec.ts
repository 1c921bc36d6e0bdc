import type { Socket } from 'node:net';
import { flood, type Flood, hostileServer } from '../hostile-server.fixture';
import { readAll, settingsOf } from '../reading.fixture';
import { mysqlDatabase } from './mysql-database';

const MIB = 1_048_576;

/** A packet. @param announced the length that it says it has, when it is another one */
const packet = (number: number, body: Buffer | string, announced?: number): Buffer => {
  const bytes = Buffer.from(body);
  const head = Buffer.alloc(4);
  head.writeUIntLE(announced ?? bytes.length, 0, 3);
  head[3] = number;
  return Buffer.concat([head, bytes]);
};

/** Of version 10, without encryption: what the server can, and nonces. */
const GREETING = packet(
  0,
  Buffer.concat([
    Buffer.from('\u000a8.0.0\0'),
    Buffer.alloc(4, 1),
    Buffer.alloc(8, 'a'),
    Buffer.from([0, 0xff, 0xf7, 45, 2, 0, 0x0f, 0, 21]),
    Buffer.alloc(10),
    Buffer.alloc(12, 'a'),
    Buffer.from('\0mysql_native_password\0'),
  ]),
);
const OK = Buffer.from([0, 0, 0, 2, 0, 0, 0]);

const PIECE = Buffer.alloc(65_536, 'x');
/** A part of a packet of several: it has the greatest length. */
const PART = packet(0, '', 0xffffff);
const LARGE = Buffer.concat([PART, Buffer.alloc(0xffffff, 'x')]);

type Stage = 'login' | 'statement';

/** A server that sends something of its own when it is connected to, or logged in at. */
const serve = (socket: Socket, stage: Stage, sent: Flood): void => {
  if (stage === 'login') {
    flood(socket, sent);
    return;
  }
  let answered = 0;
  socket.write(GREETING);
  socket.on('data', () => {
    answered += 1;
    if (answered === 1) socket.write(packet(2, OK));
    else if (answered === 2) flood(socket, sent);
  });
};

const reading = async (stage: Stage, sent: Flood) => {
  const server = await hostileServer((socket) => {
    serve(socket, stage, sent);
  });
  const settings = settingsOf({
    ...{ host: '127.0.0.1', port: server.port, username: 'u', password: 'hidden', database: 'd' },
    ...{ tls: 'disabled' },
  });
  const outcome: unknown = await readAll(mysqlDatabase, settings, 'SELECT 1').catch(
    (error: unknown) => error,
  );
  await server.close();
  return { outcome, taken: server.taken(), peak: server.peak() };
};

it.each<[Stage, string, Flood]>([
  ['login', 'parts of one packet', { piece: LARGE }],
  ['statement', 'parts of one packet', { piece: LARGE }],
  [
    'statement',
    'columns without an end',
    {
      head: packet(1, Buffer.from([0, 1, 0, 0, 0, 0xff, 0xff, 0, 0, 0, 0, 0])),
      piece: packet(2, '\u0003def\0\0\0\u0001a\0\u000c\u002d\0\u0001\0\0\0\u00fd\0\0\0\0\0'),
    },
  ],
])('at %s, %s are taken up to the limit', async (stage, _, sent) => {
  const silence = jest.spyOn(console, 'error').mockReturnValue();
  const { outcome, taken, peak } = await reading(stage, sent);
  silence.mockRestore();
  expect(outcome).toMatchObject({
    ...{ name: 'DatabaseFault', kind: 'Unreachable' },
    message: 'the database server has sent more than 16 MiB as one answer',
  });
  expect(taken).toBeLessThan(40 * MIB);
  expect(peak).toBeLessThan(160 * MIB);
});

it.each<Stage>(['login', 'statement'])(
  'at %s, what is no packet ends the connection',
  async (stage) => {
    const silence = jest.spyOn(console, 'error').mockReturnValue();
    const { outcome, taken } = await reading(stage, { piece: PIECE });
    silence.mockRestore();
    expect(outcome).toMatchObject({ name: 'DatabaseFault' });
    expect(taken).toBeLessThan(40 * MIB);
  },
);
