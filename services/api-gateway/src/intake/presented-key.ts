import type { IncomingMessage } from 'node:http';
import { BoundedCache } from '../cache/bounded-cache';

const BASIC = /^basic\s+([A-Za-z0-9+/_-]+=*)\s*$/i;
const BEARER = /^bearer\s+(\S+)\s*$/i;

/** Checks the form of a write key: 32 characters of base62. Other texts are not looked up. */
export const isWriteKeyForm = (text: string): boolean => /^[0-9A-Za-z]{32}$/.test(text);

/**
 * Reads the write key from `Authorization`, else from `?writeKey=`.
 *
 * @returns undefined when there is neither; `''` for an `Authorization` without a key: the query and the body are not
 *   tried then.
 */
export const presentedKey = (
  { headers: { authorization } }: IncomingMessage,
  query: string,
): string | undefined => {
  if (authorization !== undefined && authorization !== '') return keyIn(authorization);
  return query === '' ? undefined : (new URLSearchParams(query).get('writeKey') ?? undefined);
};

/** Maps `Authorization` to its key: a sender uses the same header in every request. */
const remembered = new BoundedCache<string, string>(1_000);

const keyIn = (authorization: string): string => {
  const known = remembered.get(authorization);
  if (known !== undefined) return known;
  const key = BEARER.exec(authorization)?.[1] ?? userOf(BASIC.exec(authorization)?.[1] ?? '');
  if (isWriteKeyForm(key)) remembered.set(authorization, key);
  return key;
};

/** Reads the user of Basic credentials, the base64 of `user:password`. */
const userOf = (credentials: string): string =>
  Buffer.from(credentials, 'base64').toString('utf8').split(':', 1)[0] ?? '';
