import type { ConnectionId } from '@penstock/contracts';
import { FileFault, type StoredFile } from '@penstock/files';
import { parseJson } from '@penstock/schema';
import { buffer } from 'node:stream/consumers';
import { Readable } from 'node:stream';
import type { Connector } from '../connector/connector';
import type { GuardedHttp } from '../connector/guarded-http';

/** A storage with settings, as a connection has it. */
export const connected = (
  connector: Connector,
  settings: object,
  http: GuardedHttp,
  signal = new AbortController().signal,
) => {
  const { fileStorage } = connector;
  if (fileStorage === undefined) throw new Error(`${connector.code} is no storage`);
  const checked = connector.checkSettings(parseJson(JSON.stringify(settings)), 'Source');
  const connection = 'connection000001' as ConnectionId;
  return {
    absolutePath: (path: string): string => fileStorage.absolutePath(path, checked),
    open: (path: string): Promise<StoredFile> =>
      fileStorage.open(path, checked, { connection, http, signal }),
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
