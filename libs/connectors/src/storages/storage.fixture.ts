import type { ConnectionId } from '@penstock/contracts';
import { createGuardedSockets } from '@penstock/egress';
import { FileFault, type StoredFile } from '@penstock/files';
import { parseJson } from '@penstock/schema';
import { buffer } from 'node:stream/consumers';
import { Readable } from 'node:stream';
import type { Connector } from '../connector/connector';
import type { GuardedHttp } from '../connector/guarded-http';

/** By which a spec reaches the servers of its machine. */
const SOCKETS = createGuardedSockets(['127.0.0.0/8']);

/** A storage with settings, as a connection has it. */
export const connected = (
  connector: Connector,
  settings: object,
  http: GuardedHttp,
  signal = new AbortController().signal,
  sockets = SOCKETS,
) => {
  const { fileStorage, fileDestination } = connector;
  const role = fileStorage === undefined ? 'Destination' : 'Source';
  const checked = connector.checkSettings(parseJson(JSON.stringify(settings)), role);
  const connection = 'connection000001' as ConnectionId;
  const context = { connection, http, sockets, signal };
  return {
    absolutePath: (path: string): string =>
      (fileStorage ?? fileDestination)?.absolutePath(path, checked) ?? '',
    open: async (path: string): Promise<StoredFile> => {
      if (fileStorage === undefined) throw new Error(`${connector.code} cannot be read`);
      return fileStorage.open(path, checked, context);
    },
    write: async (path: string, bytes: AsyncIterable<Uint8Array>): Promise<void> => {
      if (fileDestination === undefined) throw new Error(`${connector.code} cannot be written`);
      await fileDestination.write({ path, contentType: 'text/csv', bytes }, checked, context);
    },
  };
};

export const contentOf = async (file: StoredFile): Promise<string> => {
  const content = await buffer(Readable.from(file.bytes));
  await file.close();
  return content.toString();
};

/** The fault of what is refused. */
export const faultOf = async (work: () => unknown): Promise<readonly [string, string]> => {
  try {
    await work();
  } catch (error) {
    if (error instanceof FileFault) return [error.kind, error.message];
    throw error;
  }
  throw new Error('nothing was refused');
};

const LONG = 'a'.repeat(1_024);

/** Paths that no storage takes. */
export const BAD_PATHS: readonly (readonly [string, string])[] = [
  ['', 'InvalidPath'],
  [`${LONG}b`, 'InvalidPath'],
  ['..', 'InvalidPath'],
  ['../a.csv', 'InvalidPath'],
  ['a/../../b.csv', 'InvalidPath'],
  ['a/./b.csv', 'InvalidPath'],
  ['a/', 'InvalidPath'],
  ['a\0.csv', 'InvalidPath'],
  ['a\n.csv', 'InvalidPath'],
  ['a\ud800.csv', 'InvalidPath'],
  ['users-${today}.csv', 'InvalidPlaceholder'],
  ['${x', 'InvalidPlaceholder'],
];

/** A path of the longest length. */
export const LONGEST_PATH = `${'😀'.repeat(200)}/${'b'.repeat(823)}`;
