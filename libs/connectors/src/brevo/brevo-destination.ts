import { readText } from '@penstock/settings';
import { retryAfterMs } from '../answers/retry-after';
import { entryOf } from '../requests/entry-of';
import { JSON_CONTENT, vendorDestination } from '../requests/vendor-destination';
import { baseUrl } from '../settings/url';
import { brevoEvent } from './brevo-event';
import { BREVO_EVENT_TYPES } from './brevo-event-types';
import { brevoForm } from './brevo-settings';

const HOST = 'https://api.brevo.com';

const BODIES = { create_event: brevoEvent };

/**
 * The events API of Brevo, version 3: one event a request, and no key for duplicates. The rate is 80 % of the
 * vendor's 10 requests a second.
 *
 * Source: Brevo Developers, "Create an event", "API rate limits" and "Rate limit headers", read in November 2026.
 */
export const brevoDestination = vendorDestination({
  eventTypes: BREVO_EVENT_TYPES,
  limits: { maxEvents: 1, concurrency: 8, ratePerSecond: 8, burst: 8 },
  maxBytes: 512_000,
  form: brevoForm,
  target: (settings) => {
    const key = readText(settings, 'apiKey');
    return {
      url: `${baseUrl(settings, HOST)}/v3/events`,
      headers: [JSON_CONTENT, { name: 'api-key', value: key }],
      secrets: [key],
    };
  },
  part: (event) => ({ text: entryOf(BODIES, event.eventType)(event), common: '' }),
  draft: ([{ text }], { url, headers }) => ({ url, headers, body: text }),
  read: ({ headers }, general) => {
    const resetMs = retryAfterMs(headers['x-sib-ratelimit-reset'], Date.now());
    return general.kind === 'unavailable' && general.status === 429 && resetMs !== undefined
      ? { retryAfterMs: resetMs, ...general }
      : general;
  },
});
