import { entryOf } from '../requests/entry-of';
import { vendorDestination } from '../requests/vendor-destination';
import { brevoAccess, brevoOutcome } from './brevo-access';
import { brevoEvent } from './brevo-event';
import { BREVO_EVENT_TYPES } from './brevo-event-types';
import { brevoForm } from './brevo-settings';

const BODIES = { create_event: brevoEvent };

/**
 * The events API of Brevo, version 3: one event a request, and no key for duplicates. The rate is 80 % of the
 * vendor's 10 requests a second.
 *
 * Source: Brevo Developers, "Create an event" and "API rate limits", read in November 2026.
 */
export const brevoDestination = vendorDestination({
  eventTypes: BREVO_EVENT_TYPES,
  limits: { maxEvents: 1, concurrency: 8, ratePerSecond: 8, burst: 8 },
  maxBytes: 512_000,
  form: brevoForm,
  target: brevoAccess,
  part: (event) => ({ text: entryOf(BODIES, event.eventType)(event), common: '' }),
  draft: ([{ text }], { base, headers }) => ({ url: `${base}/events`, headers, body: text }),
  read: brevoOutcome,
});
