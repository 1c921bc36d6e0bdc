import { FileFault, type StoredFile } from '@penstock/files';
import { type Download, NoAnswer, NotAllowed } from '../connector/guarded-http';

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
  return new FileFault(error instanceof NotAllowed ? 'Refused' : 'Unavailable', error.message);
};

/** Statuses that say that the same request may succeed later. */
const PASSING: ReadonlySet<number> = new Set([408, 425, 429]);

const reasonOf = (status: number): string => {
  if (status === 401 || status === 403)
    return ': the server refuses access; check the credentials of the connection';
  return status >= 300 && status < 400
    ? ': the server redirects too often, or to where no request may follow; check the address'
    : '';
};

/** The fault of an answer without what was asked for. @param more what is known of it besides */
export const refusedAnswer = (status: number, more = reasonOf(status)): FileFault =>
  new FileFault(
    status >= 500 || PASSING.has(status) ? 'Unavailable' : 'Refused',
    `answered ${String(status)}${more}`,
  );

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
