import { GuardedHttp } from '@penstock/connectors';
import { type FileWanted, Refusal } from '@penstock/contracts';
import { GuardedSockets } from '@penstock/egress';
import {
  type Compression,
  COMPRESSIONS,
  FILE_FORMATS,
  type FileFormat,
  type FileReading,
  limited,
  type StoredFile,
} from '@penstock/files';
import { checkedBy } from '@penstock/settings';
import { Invalid, type JsonObject, parseJson } from '@penstock/schema';
import { FairTurns, TurnRefused } from '@penstock/turns';
import { unavailable } from '@penstock/platform';
import { Injectable } from '@nestjs/common';
import { withinDeadline } from '../deadline/within-deadline';
import { FileStorages } from './file-storages';
import { refusingFaults } from './refused-fault';

const MIB = 1_048_576;

/** What one request may read, as it is stored and without its compression. */
const MAX_BYTES = 256 * MIB;

/**
 * How many files are looked into at a time: each may take some MiB of memory, and twice {@link MAX_BYTES} of the disk.
 */
const PLACES = 4;

/** Where files are kept that cannot be read from front to back. */
export abstract class FileSpool {
  abstract readonly folder: string;
}

/** How a wanted file is read, checked. */
interface Look {
  readonly reading: FileReading;
  readonly settings: JsonObject;
}

/**
 * @param signal ends the reading.
 * @throws Refusal FormatNotExist, InvalidSettings, BadRequest
 */
export const lookAt = (
  wanted: Omit<FileWanted, 'connection'>,
  { folder }: FileSpool,
  signal: AbortSignal,
): Look => {
  const format = FILE_FORMATS.find(({ code }) => code === wanted.format);
  if (format === undefined) throw new Refusal('FormatNotExist');
  return {
    reading: {
      format,
      compression: compressionOf(wanted.compression),
      options: { spool: { folder, maxBytes: MAX_BYTES }, maxBytes: MAX_BYTES, signal },
    },
    settings: settingsOf(wanted.formatSettings, format),
  };
};

const compressionOf = (text: string): Compression => {
  const compression = COMPRESSIONS.find((each) => each === text);
  if (compression !== undefined) return compression;
  const message = `must be one of ${COMPRESSIONS.filter((each) => each !== '').join(', ')}, or empty`;
  throw new Refusal('BadRequest', { details: [{ path: '/compression', message }] });
};

const settingsOf = (text: string, { settings }: FileFormat): JsonObject => {
  try {
    return checkedBy(settings)(parseJson(text));
  } catch (error) {
    if (!(error instanceof Invalid)) throw error;
    const details = error.issues.map(({ path, message }) => ({
      path: `/formatSettings${path}`,
      message,
    }));
    throw new Refusal('InvalidSettings', { details });
  }
};

/** Opens files of storages for requests: few at a time, shared fairly by workspace, and each within bounds. */
@Injectable()
export class FileLooks {
  private readonly turns = new FairTurns({ places: PLACES });

  constructor(
    private readonly storages: FileStorages,
    private readonly http: GuardedHttp,
    private readonly sockets: GuardedSockets,
  ) {}

  /**
   * Opens the file and does something with it.
   *
   * @param until fires when nobody waits for the answer any more.
   * @throws Refusal, also for faults of the file; ServiceUnavailable when it takes too long.
   */
  async into<T>(
    { connection: id, path }: Pick<FileWanted, 'connection' | 'path'>,
    workspace: string,
    until: AbortSignal,
    work: (file: StoredFile, signal: AbortSignal) => Promise<T>,
  ): Promise<T> {
    const { connection, storage, settings } = await this.storages.of(id, workspace);
    return withinDeadline(
      (signal) =>
        this.inTurn(workspace, signal, () =>
          refusingFaults(async () => {
            const context = { connection, http: this.http, sockets: this.sockets, signal };
            const file = await storage.open(path, settings, context);
            try {
              return await work({ ...file, bytes: limited(file.bytes, MAX_BYTES) }, signal);
            } finally {
              await file.close();
            }
          }),
        ),
      until,
    );
  }

  private async inTurn<T>(share: string, signal: AbortSignal, work: () => Promise<T>): Promise<T> {
    try {
      return await this.turns.take({ share, signal }, work);
    } catch (error) {
      throw error instanceof TurnRefused ? unavailable('too many files are being read') : error;
    }
  }
}
