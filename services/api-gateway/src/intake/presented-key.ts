import type { IncomingMessage } from 'node:http';

const BASIC = /^basic\s+([A-Za-z0-9+/_-]+=*)\s*$/i;
const BEARER = /^bearer\s+(\S+)\s*$/i;

/** A write key is 32 characters of base62: anything else is none, and is not looked up. */
export const isWriteKeyForm = (text: string): boolean => /^[0-9A-Za-z]{32}$/.test(text);

/**
 * The write key of a request's head: from `Authorization`, else from `?writeKey=`.
 *
 * @returns undefined where there is none; `''` for an `Authorization` that holds none: no further place is tried.
 */
export const presentedKey = (
  { headers: { authorization } }: IncomingMessage,
  query: string,
): string | undefined => {
  if (authorization !== undefined && authorization !== '') return keyIn(authorization);
  return query === '' ? undefined : (new URLSearchParams(query).get('writeKey') ?? undefined);
};

const keyIn = (authorization: string): string => {
  const bearer = BEARER.exec(authorization)?.[1];
  if (bearer !== undefined) return bearer;
  const basic = BASIC.exec(authorization)?.[1];
  return basic === undefined ? '' : userOf(Buffer.from(basic, 'base64').toString('utf8'));
};

const userOf = (userAndPassword: string): string => userAndPassword.split(':', 1)[0] ?? '';
