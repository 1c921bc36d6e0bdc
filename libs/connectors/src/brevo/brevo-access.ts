import { readText } from '@penstock/settings';
import { retryAfterMs } from '../answers/retry-after';
import type { Settings } from '../connector/connector';
import type { Outcome } from '../connector/event-destination';
import type { IncomingResponse } from '../connector/guarded-http';
import { JSON_CONTENT } from '../requests/vendor-destination';
import { perSettings } from '../settings/per-settings';
import { baseUrl } from '../settings/url';
import type { VendorAccess } from '../users/reading-vendor';
import { brevoErrorText } from './brevo-error';

const HOST = 'https://api.brevo.com';

/**
 * The outcome of an answer: the vendor tells in a header of its own when its rate allows the next request.
 *
 * Source: Brevo Developers, "Rate limit headers", read in November 2026.
 */
export const brevoOutcome = ({ headers }: IncomingResponse, general: Outcome): Outcome => {
  const resetMs = retryAfterMs(headers['x-sib-ratelimit-reset'], Date.now());
  return general.kind === 'unavailable' && general.status === 429 && resetMs !== undefined
    ? { retryAfterMs: resetMs, ...general }
    : general;
};

/** Where the API of Brevo is, and what goes with every request. */
export const brevoAccess: (settings: Settings) => VendorAccess = perSettings((settings) => {
  const key = readText(settings, 'apiKey');
  return {
    base: `${baseUrl(settings, HOST)}/v3`,
    headers: [JSON_CONTENT, { name: 'api-key', value: key }],
    secrets: [key],
    errorText: brevoErrorText,
    outcome: brevoOutcome,
  };
});
