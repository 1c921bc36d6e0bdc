import { readText } from '@penstock/settings';
import { entryOf } from '../requests/entry-of';
import { JSON_CONTENT, vendorDestination } from '../requests/vendor-destination';
import { baseUrl } from '../settings/url';
import { MIXPANEL_EVENT_TYPES } from './mixpanel-event-types';
import { mixpanelOutcomes } from './mixpanel-outcomes';
import { mixpanelEvent, mixpanelProfile } from './mixpanel-records';
import { mixpanelForm } from './mixpanel-settings';

const HOSTS: Readonly<Record<string, string>> = {
  US: 'https://api.mixpanel.com',
  EU: 'https://api-eu.mixpanel.com',
  IN: 'https://api-in.mixpanel.com',
};

/** What `common` holds of a request: where it goes. */
const IMPORT = 'import';
const ENGAGE = 'engage';

/**
 * The ingestion API of Mixpanel: 2,000 records and 2 MB a request (the vendor's pages name 10 MB too), 10 to 20
 * clients at once recommended, no limit of requests.
 *
 * Source: Mixpanel Docs, "Import Events", "Set Property" (profiles) and "400 Bad Request", version 1.0.0 of the
 * Ingestion API, read in November 2026.
 */
export const mixpanelDestination = vendorDestination({
  eventTypes: MIXPANEL_EVENT_TYPES,
  limits: { maxEvents: 2_000, concurrency: 10 },
  maxBytes: 2_000_000,
  form: mixpanelForm,
  target: (settings) => {
    const token = readText(settings, 'projectToken');
    const credentials = Buffer.from(`${token}:`).toString('base64');
    const base = baseUrl(settings, entryOf(HOSTS, readText(settings, 'dataResidency')));
    const project = encodeURIComponent(readText(settings, 'projectID'));
    return {
      token,
      authorization: {
        name: 'Authorization',
        value: `Basic ${credentials}`,
        shown: 'Basic ••••',
      },
      importUrl: `${base}/import?strict=1&project_id=${project}`,
      engageUrl: `${base}/engage?ip=0&strict=1&verbose=1`,
      secrets: [token, credentials],
    };
  },
  part: (event, { token }) =>
    event.eventType === 'set_profile'
      ? { text: mixpanelProfile(event, token), common: ENGAGE }
      : { text: mixpanelEvent(event), common: IMPORT },
  draft: (parts, { importUrl, engageUrl, authorization }) => {
    const body = `[${parts.map(({ text }) => text).join()}]`;
    return parts[0].common === ENGAGE
      ? { url: engageUrl, headers: [JSON_CONTENT], body }
      : { url: importUrl, headers: [JSON_CONTENT, authorization], body };
  },
  read: (answer, general, count, { secrets }) => mixpanelOutcomes(answer, general, count, secrets),
});
