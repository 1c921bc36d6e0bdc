import { FileFault, type StoredFile } from '@penstock/files';
import { type Download, NoAnswer } from '../connector/guarded-http';

async function* faultsFor(bytes: AsyncIterable<Uint8Array>): AsyncGenerator<Uint8Array> {
  try {
    yield* bytes;
  } catch (error) {
    throw unavailable(error);
  }
}

/** @returns the fault for a request without an answer. @throws what is a bug. */
export const unavailable = (error: unknown): FileFault => {
  if (!(error instanceof NoAnswer)) throw error;
  return new FileFault('Unavailable', error.message);
};

const dateIn = (text: string | undefined): Date | undefined => {
  const date = new Date(text ?? '');
  return Number.isNaN(date.getTime()) ? undefined : date;
};

const sizeIn = (text: string | undefined): number | undefined =>
  text !== undefined && /^\d{1,15}$/.test(text) ? Number(text) : undefined;

/** The file that the body of a successful answer is. */
export const downloadedFile = ({ headers, bytes, discard }: Download): StoredFile => ({
  bytes: faultsFor(bytes),
  modifiedAt: dateIn(headers['last-modified']),
  size: sizeIn(headers['content-length']),
  tag: headers['etag'],
  close: () => {
    discard();
    return Promise.resolve();
  },
});
