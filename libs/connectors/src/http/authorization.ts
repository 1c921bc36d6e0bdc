import { mask, readOptionalObject, readText } from '@penstock/settings';
import type { Settings } from '../connector/connector';
import type { DraftHeader } from '../requests/draft';

/** The header `Authorization` by the settings, and which part of it is secret. */
export interface Authorization {
  readonly header: DraftHeader;
  readonly secret: string;
}

export const authorization = (settings: Settings): Authorization | undefined => {
  const auth = readOptionalObject(settings, 'auth');
  if (auth === undefined) return undefined;
  return readText(auth, 'type') === 'basic'
    ? basic(readText(auth, 'username'), readText(auth, 'password'))
    : bearer(readText(auth, 'token'));
};

const bearer = (token: string): Authorization => given('Bearer', token, mask(token));

const basic = (username: string, password: string): Authorization =>
  given('Basic', Buffer.from(`${username}:${password}`).toString('base64'), '••••');

const given = (scheme: string, secret: string, shown: string): Authorization => ({
  header: { name: 'Authorization', value: `${scheme} ${secret}`, shown: `${scheme} ${shown}` },
  secret,
});
