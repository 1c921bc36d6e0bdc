import { readText } from '@penstock/settings';
import { entryOf } from '../requests/entry-of';
import { identityOf } from '../requests/event-identity';
import { JSON_CONTENT, type Sendables, vendorDestination } from '../requests/vendor-destination';
import { baseUrl } from '../settings/url';
import { googleAnalyticsPart, micros } from './google-analytics-event';
import { GOOGLE_ANALYTICS_EVENT_TYPES } from './google-analytics-event-types';
import { googleAnalyticsForm } from './google-analytics-settings';

const HOSTS: Readonly<Record<string, string>> = {
  Global: 'https://www.google-analytics.com',
  EU: 'https://region1.google-analytics.com',
};

/**
 * The Measurement Protocol of Google Analytics 4: 25 events of one client and 130 kB a request. It knows no key for
 * duplicates but `transaction_id` of purchases.
 *
 * Source: Google for Developers, "Send Measurement Protocol events to Google Analytics" and "Measurement Protocol
 * Reference", read in November 2026; the protocol has no version but its name.
 */
export const googleAnalyticsDestination = vendorDestination({
  eventTypes: GOOGLE_ANALYTICS_EVENT_TYPES,
  limits: { maxEvents: 25, concurrency: 20 },
  maxBytes: 125_000,
  form: googleAnalyticsForm,
  target: (settings) => {
    const secret = readText(settings, 'apiSecret');
    const base = baseUrl(settings, entryOf(HOSTS, readText(settings, 'collectionEndpoint')));
    const id = inQuery(readText(settings, 'measurementID'));
    return {
      url: `${base}/mp/collect?measurement_id=${id}&api_secret=${inQuery(secret)}`,
      secrets: [secret],
    };
  },
  part: (event, _, nowMs) => googleAnalyticsPart(event, nowMs),
  draft: (parts, { url }) => ({ url, headers: [JSON_CONTENT], body: bodyOf(parts) }),
});

/** The dots of a masked secret stay readable in a preview; no secret holds them. */
const inQuery = (text: string): string => encodeURIComponent(text).replaceAll('%E2%80%A2', '•');

/** Client and user, the time of the first event (each has its own besides), and the events. */
const bodyOf = (parts: Sendables): string => {
  const [{ common, event }] = parts;
  const events = parts.map(({ text }) => text).join();
  const time = micros(identityOf(event)).text;
  return `${common.slice(0, -1)},"timestamp_micros":${time},"events":[${events}]}`;
};
