import type { OutgoingEvent } from '../connector/event-destination';
import { entryOf } from '../requests/entry-of';
import { vendorDestination } from '../requests/vendor-destination';
import { klaviyoAccess } from './klaviyo-access';
import { KLAVIYO_EVENT_TYPES } from './klaviyo-event-types';
import { klaviyoEvent, klaviyoProfile } from './klaviyo-resources';
import { klaviyoForm } from './klaviyo-settings';

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
  target: klaviyoAccess,
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
