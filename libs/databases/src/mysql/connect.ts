import type { ConnectionOptions } from 'mysql2';
import type { DatabaseCall } from '../database/database';
import { createLimitedConnection, type LimitedMysql } from './limited-connection';
import { mysqlFaultOf, saysNoTls } from './mysql-fault';
import type { MysqlTarget, MysqlTls } from './mysql-settings';

/** Whether the server has to prove who it is; undefined: there is no encryption. */
const VERIFIES: Readonly<Record<MysqlTls, boolean | undefined>> = {
  disabled: undefined,
  preferred: false,
  required: false,
  verify: true,
};

/**
 * Values as the server sends them, without loss; nothing is compiled from text, and the server may not ask for files.
 *
 * The driver's own time limit for connecting is off: the caller's signal is the limit.
 */
const READING: ConnectionOptions = {
  charset: 'utf8mb4',
  supportBigNumbers: true,
  bigNumberStrings: true,
  dateStrings: true,
  jsonStrings: true,
  rowsAsArray: true,
  disableEval: true,
  multipleStatements: false,
  flags: ['-LOCAL_FILES', '-MULTI_STATEMENTS', '-FOUND_ROWS'],
  connectTimeout: 0,
};

const attempt = (
  { host, port, username, password, database }: MysqlTarget,
  verifies: boolean | undefined,
  { sockets, signal }: DatabaseCall,
): Promise<LimitedMysql> =>
  new Promise((resolve, reject) => {
    const socket = sockets.to({ host, port });
    socket.setNoDelay(true);
    socket.connect(port, host);
    // An object of its own for each connection: the driver remembers sessions of TLS by it.
    const ssl = { rejectUnauthorized: verifies ?? false, verifyIdentity: verifies ?? false };
    const limited = createLimitedConnection({
      ...READING,
      host,
      port,
      user: username,
      password,
      database,
      stream: socket,
      ...(verifies === undefined ? {} : { ssl }),
    });
    const { connection } = limited;
    const giveUp = (): void => {
      socket.destroy(new Error('given up'));
    };
    signal.addEventListener('abort', giveUp, { once: true });
    socket.once('close', () => {
      signal.removeEventListener('abort', giveUp);
    });
    // Stays: a statement under way is rejected by itself, an idle connection that is lost is found by the next one.
    connection.on('error', (error: Error) => {
      socket.destroy();
      reject(error);
    });
    connection.once('connect', () => {
      resolve(limited);
    });
  });

/**
 * Connects and logs in. `preferred` goes on without encryption where the server has none.
 *
 * @throws DatabaseFault Unreachable, Refused
 */
export const connectMysql = async (
  target: MysqlTarget,
  call: DatabaseCall,
): Promise<LimitedMysql> => {
  const { tls, password } = target;
  try {
    call.signal.throwIfAborted();
    return await attempt(target, VERIFIES[tls], call).catch((error: unknown) => {
      if (tls === 'preferred' && saysNoTls(error)) return attempt(target, undefined, call);
      throw error;
    });
  } catch (error) {
    throw mysqlFaultOf(error, password, call.signal);
  }
};
