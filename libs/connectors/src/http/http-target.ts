import {
  mask,
  readNumber,
  readObjects,
  readOptionalNumber,
  readOptionalText,
  readText,
  secretsIn,
} from '@penstock/settings';
import type { Settings } from '../connector/connector';
import type { DraftHeader } from '../requests/draft';
import { perSettings } from '../settings/per-settings';
import { requestUrl } from '../settings/url';
import { authorization } from './authorization';
import { httpForm } from './http-settings';

/** The settings in the form in which each request needs them. */
export interface HttpTarget {
  readonly url: string;
  readonly method: 'POST' | 'PUT' | 'PATCH';
  /** Those that are the same on every request. */
  readonly headers: readonly DraftHeader[];
  readonly signingSecret: string | undefined;
  readonly batchSize: number;
  readonly timeoutMs: number;
  readonly ratePerSecond: number | undefined;
  readonly secrets: readonly string[];
}

/** Shorter values of a query are no secrets, and would blank out words. */
const MIN_SECRET_LENGTH = 8;

export const httpTarget = perSettings((settings: Settings): HttpTarget => {
  const url = requestUrl(readText(settings, 'url'));
  const own = ownHeaders(settings);
  const auth = authorization(settings);
  return {
    url,
    method: readText(settings, 'method') as HttpTarget['method'],
    headers: [...contentType(own), ...(auth === undefined ? [] : [auth.header]), ...own],
    signingSecret: readOptionalText(settings, 'signingSecret'),
    batchSize: readNumber(settings, 'batchSize'),
    timeoutMs: readNumber(settings, 'timeout') * 1_000,
    ratePerSecond: readOptionalNumber(settings, 'rate'),
    secrets: [
      ...secretsIn(httpForm, settings),
      ...(auth === undefined ? [] : [auth.secret]),
      ...secretsOfQuery(url),
    ],
  };
});

/** Some receivers know their senders by what stands in the URL. */
const secretsOfQuery = (url: string): readonly string[] =>
  [...new URL(url).searchParams.values()].filter(({ length }) => length >= MIN_SECRET_LENGTH);

const contentType = (own: readonly DraftHeader[]): readonly DraftHeader[] =>
  own.some(({ name }) => name.toLowerCase() === 'content-type')
    ? []
    : [{ name: 'Content-Type', value: 'application/json' }];

const ownHeaders = (settings: Settings): readonly DraftHeader[] =>
  readObjects(settings, 'headers').map((header) => {
    const name = readText(header, 'name');
    const value = readText(header, 'value');
    return header.get('secret') === true ? { name, value, shown: mask(value) } : { name, value };
  });
