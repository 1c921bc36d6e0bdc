import type { GuardedSockets } from '@penstock/egress';
import { once } from 'node:events';
import type { Client, ClientConfig } from 'pg';
import { LimitedConnection } from './limited-client';
import type { PostgresqlTarget } from './postgresql-settings';

/** Milliseconds for a request to cancel, which the server does not answer. */
const CANCEL_TIMEOUT_MS = 5_000;

/** What the types of the driver leave out. */
interface Cancelling {
  connect(port: number, host: string): void;
  requestSsl(): void;
  cancel(processId: number, secretKey: number): void;
  on(event: 'connect' | 'sslconnect' | 'error', listener: () => void): void;
}

/** Asks the server to end the statement that a connection runs. Best effort: that connection is closed as well. */
export const cancelStatement = async (
  client: Client,
  { host, port }: Pick<PostgresqlTarget, 'host' | 'port'>,
  ssl: ClientConfig['ssl'],
  sockets: GuardedSockets,
): Promise<void> => {
  const { processID, secretKey } = client as unknown as {
    readonly processID: number | null;
    readonly secretKey: number | null;
  };
  if (processID === null || secretKey === null) return;
  const socket = sockets.to({ host, port });
  const connection = new LimitedConnection({ stream: () => socket, ssl }) as unknown as Cancelling;
  const cancel = (): void => {
    connection.cancel(processID, secretKey);
  };
  connection.on('error', () => undefined);
  connection.on('connect', () => {
    if (ssl === false) cancel();
    else connection.requestSsl();
  });
  connection.on('sslconnect', cancel);
  connection.connect(port, host);
  await once(socket, 'close', { signal: AbortSignal.timeout(CANCEL_TIMEOUT_MS) }).catch(
    () => undefined,
  );
  socket.destroy();
};
