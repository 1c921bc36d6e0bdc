import { readText } from '@penstock/settings';
import type { OutgoingEvent } from '../connector/event-destination';
import { entryOf } from '../requests/entry-of';
import { vendorDestination } from '../requests/vendor-destination';
import { baseUrl } from '../settings/url';
import { KLAVIYO_EVENT_TYPES } from './klaviyo-event-types';
import { klaviyoEvent, klaviyoProfile } from './klaviyo-resources';
import { klaviyoForm } from './klaviyo-settings';

const HOST = 'https://a.klaviyo.com';

/** Revision of the API, which the vendor supports for two years. */
const REVISION = '2026-07-15';

interface Endpoint {
  readonly path: string;
  readonly body: (event: OutgoingEvent) => string;
}

const ENDPOINTS: Readonly<Record<string, Endpoint>> = {
  create_event: { path: '/api/events', body: klaviyoEvent },
  update_profile: { path: '/api/profile-import', body: klaviyoProfile },
};

/**
 * The API of Klaviyo: one event a request. The limits are 80 % of the vendor's for events, 350 a second and 3,500 a
 * minute; those for profiles, 75 and 750, are kept by its answers of 429.
 *
 * Source: Klaviyo Developers, "Create Event", "Create or Update Profile" and "Rate limits, status codes, and errors",
 * read in November 2026.
 */
export const klaviyoDestination = vendorDestination({
  eventTypes: KLAVIYO_EVENT_TYPES,
  limits: { maxEvents: 1, concurrency: 20, ratePerSecond: 46, burst: 280 },
  maxBytes: 5_000_000,
  form: klaviyoForm,
  target: (settings) => {
    const key = readText(settings, 'privateAPIKey');
    return {
      base: baseUrl(settings, HOST),
      headers: [
        { name: 'Content-Type', value: 'application/vnd.api+json' },
        { name: 'Accept', value: 'application/vnd.api+json' },
        { name: 'Authorization', value: `Klaviyo-API-Key ${key}` },
        { name: 'revision', value: REVISION },
      ],
      secrets: [key],
    };
  },
  part: (event) => {
    const { path, body } = entryOf(ENDPOINTS, event.eventType);
    return { text: body(event), common: path };
  },
  draft: ([{ text, common }], { base, headers }) => ({
    url: `${base}${common}`,
    headers,
    body: text,
  }),
});
