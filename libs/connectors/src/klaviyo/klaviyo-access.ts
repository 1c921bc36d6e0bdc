import { readText } from '@penstock/settings';
import type { Settings } from '../connector/connector';
import { perSettings } from '../settings/per-settings';
import { baseUrl } from '../settings/url';
import type { VendorAccess } from '../users/reading-vendor';
import { klaviyoErrorText } from './klaviyo-error';

const HOST = 'https://a.klaviyo.com';

/** Revision of the API, which the vendor supports for two years. */
const REVISION = '2026-07-15';

const JSON_API = 'application/vnd.api+json';

/** Where the API of Klaviyo is, and what goes with every request. */
export const klaviyoAccess: (settings: Settings) => VendorAccess = perSettings((settings) => {
  const key = readText(settings, 'privateAPIKey');
  return {
    base: baseUrl(settings, HOST),
    headers: [
      { name: 'Content-Type', value: JSON_API },
      { name: 'Accept', value: JSON_API },
      { name: 'Authorization', value: `Klaviyo-API-Key ${key}` },
      { name: 'revision', value: REVISION },
    ],
    secrets: [key],
    errorText: klaviyoErrorText,
  };
});
