import { createHash, randomUUID } from 'node:crypto';

const HASH_LENGTH = 16;

/** From this age on, an unfinished file is one of a process that was killed: a transfer never rests so long. */
export const ABANDONED_MS = 3_600_000;

/** What the names of all unfinished files of one target begin with. */
export const unfinishedPrefix = (target: string): string =>
  `.penstock-${createHash('sha256').update(target).digest('hex').slice(0, HASH_LENGTH)}-`;

/** A name that no other file has, for a file that is not complete; always as short. */
export const temporaryName = (target: string): string =>
  `${unfinishedPrefix(target)}${randomUUID()}.part`;
