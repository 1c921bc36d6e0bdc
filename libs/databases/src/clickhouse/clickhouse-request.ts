import { type IncomingMessage, request } from 'node:http';
import { isIP, type Socket } from 'node:net';
import { once } from 'node:events';
import { connect as connectTls } from 'node:tls';
import type { DatabaseCall } from '../database/database';
import { ClickhouseError, clickhouseErrorIn } from './clickhouse-fault';
import type { ClickhouseTarget } from './clickhouse-settings';

/** Bytes of an error that are read. */
const MAX_ERROR_BYTES = 65_536;

/** A statement, and what goes with it. */
export interface ClickhouseRequest {
  readonly text: string | Buffer;
  /** Settings and other members of the request by their names. */
  readonly parameters: Readonly<Record<string, string>>;
}

const socketTo = (
  { host, port, tls }: ClickhouseTarget,
  { sockets }: Pick<DatabaseCall, 'sockets'>,
): Socket => {
  const socket = sockets.to({ host, port });
  socket.connect(port, host);
  if (!tls) return socket;
  return connectTls({ socket, ...(isIP(host) === 0 ? { servername: host } : {}), host });
};

const textIn = async (response: IncomingMessage): Promise<string> => {
  const chunks: Buffer[] = [];
  let bytes = 0;
  for await (const chunk of response as AsyncIterable<Buffer>) {
    chunks.push(chunk);
    bytes += chunk.length;
    if (bytes > MAX_ERROR_BYTES) break;
  }
  return Buffer.concat(chunks).toString();
};

/**
 * Posts one statement over a connection of its own.
 *
 * @returns the answer, whose body comes only as fast as it is read.
 * @throws ClickhouseError when the status is not 200; else what the connection fails with.
 */
export const post = async (
  target: ClickhouseTarget,
  { text, parameters }: ClickhouseRequest,
  call: DatabaseCall,
): Promise<IncomingMessage> => {
  const { host, port, username, password, database } = target;
  call.signal.throwIfAborted();
  const sending = request({
    method: 'POST',
    host,
    port,
    path: `/?${new URLSearchParams({ database, ...parameters }).toString()}`,
    auth: `${username}:${password}`,
    headers: { 'Content-Type': 'text/plain; charset=UTF-8', 'User-Agent': 'penstock' },
    signal: call.signal,
    createConnection: () => socketTo(target, call),
  });
  const answered = once(sending, 'response') as Promise<[IncomingMessage]>;
  sending.end(text);
  const [response] = await answered;
  // An error while nobody reads is met by whoever reads next.
  response.on('error', () => undefined);
  sending.on('error', () => undefined);
  if (response.statusCode === 200) return response;
  const said = await textIn(response);
  throw (
    clickhouseErrorIn(said) ??
    new ClickhouseError(undefined, `the server answered ${String(response.statusCode)}`)
  );
};
