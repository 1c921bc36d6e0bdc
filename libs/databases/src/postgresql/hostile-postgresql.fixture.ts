import type { Socket } from 'node:net';
import { flood, type Flood, type HostileServer, hostileServer } from '../hostile-server.fixture';

/** A message of a server of PostgreSQL. @param announced the length that it says it has, when it is another one */
export const message = (kind: string, body: Buffer | string, announced?: number): Buffer => {
  const bytes = Buffer.from(body);
  const head = Buffer.alloc(5);
  head.write(kind, 'latin1');
  head.writeUInt32BE(announced ?? bytes.length + 4, 1);
  return Buffer.concat([head, bytes]);
};

/** A row of texts; null: a cell that is null. */
export const rowOf = (...cells: readonly (string | null)[]): Buffer => {
  const int16 = Buffer.alloc(2);
  int16.writeInt16BE(cells.length);
  const parts = cells.flatMap((cell) => {
    const length = Buffer.alloc(4);
    length.writeInt32BE(cell === null ? -1 : Buffer.byteLength(cell));
    return [length, Buffer.from(cell ?? '')];
  });
  return message('D', Buffer.concat([int16, ...parts]));
};

const READY = message('Z', 'I');
const DONE = Buffer.concat([message('C', 'SELECT 0\0'), READY]);
const LOGGED_IN = Buffer.concat([
  message('R', Buffer.alloc(4)),
  message('K', Buffer.alloc(8)),
  READY,
]);

/** A description of so many columns of texts. */
export const columns = (count: number): Buffer => {
  const int16 = Buffer.alloc(2);
  int16.writeInt16BE(count);
  const all = Array.from({ length: count }, (_, index) => [
    Buffer.from(`c${String(index)}\0`),
    Buffer.from([0, 0, 0, 0, 0, 0, 0, 0, 0, 25, 0xff, 0xff, 0xff, 0xff, 0xff, 0xff, 0, 0]),
  ]);
  return message('T', Buffer.concat([int16, ...all.flat()]));
};

/** Where a server stops to behave. */
export type Stage = 'login' | 'statement' | 'rows';

/** What it answers to the statements of a session and of a query, in their order. */
const ANSWERS = [
  DONE,
  Buffer.concat([message('1', ''), message('t', Buffer.alloc(2)), columns(1), READY]),
];

const STATEMENTS_BEFORE: Readonly<Record<Exclude<Stage, 'login'>, number>> = {
  statement: 0,
  rows: 2,
};

/** How many statements end in what a client has sent: `Q` and `S`. */
const statementsIn = (sent: Buffer): number => {
  let count = 0;
  for (let at = 0; at + 5 <= sent.length; at += 1 + sent.readUInt32BE(at + 1))
    if ('QS'.includes(String.fromCharCode(sent[at] ?? 0))) count += 1;
  return count;
};

/** The code of a request to cancel, which stands where others have their version of the protocol. */
const CANCEL = 80_877_102;

const serve = (
  socket: Socket,
  stage: Stage,
  sent: Flood | Buffer,
  ignoresCancels: boolean,
): void => {
  const misbehave = (): void => {
    if (Buffer.isBuffer(sent)) socket.write(sent);
    else flood(socket, sent);
  };
  let asked = -1;
  socket.on('data', (chunk) => {
    if (asked < 0 && chunk.length === 16 && chunk.readUInt32BE(4) === CANCEL) {
      if (!ignoresCancels) socket.end();
      return;
    }
    if (asked < 0) {
      asked = 0;
      if (stage === 'login') misbehave();
      else socket.write(LOGGED_IN);
      return;
    }
    for (let count = statementsIn(chunk); count > 0; count -= 1) {
      if (stage !== 'login' && asked === STATEMENTS_BEFORE[stage]) misbehave();
      else socket.write(ANSWERS[asked] ?? DONE);
      asked += 1;
    }
  });
};

/**
 * A server of PostgreSQL, without encryption, that sends something of its own at a stage.
 *
 * @param ignoresCancels whether it leaves the connections of requests to cancel open, instead of closing them.
 */
export const hostilePostgresql = (
  stage: Stage,
  sent: Flood | Buffer,
  ignoresCancels = false,
): Promise<HostileServer> =>
  hostileServer((socket) => {
    serve(socket, stage, sent, ignoresCancels);
  });

/** Ends a statement as a server does that behaves. */
export const END = DONE;
