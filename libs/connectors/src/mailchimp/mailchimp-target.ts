import { readText } from '@penstock/settings';
import type { Settings } from '../connector/connector';
import { perSettings } from '../settings/per-settings';
import { baseUrl } from '../settings/url';
import type { VendorAccess } from '../users/reading-vendor';
import { mailchimpErrorText } from './mailchimp-error';
import { dataCentreIn } from './mailchimp-settings';

/**
 * Where the audience is, and what goes with every request: the key as the password of any user name.
 *
 * Source: Mailchimp Developer, "Marketing API fundamentals", version 3.0, read in November 2026.
 */
export const mailchimpTarget: (settings: Settings) => VendorAccess = perSettings((settings) => {
  const key = readText(settings, 'apiKey');
  const login = Buffer.from(`penstock:${key}`).toString('base64');
  const host = `https://${dataCentreIn(key) ?? ''}.api.mailchimp.com`;
  return {
    base: `${baseUrl(settings, host)}/3.0/lists/${readText(settings, 'audience')}`,
    headers: [{ name: 'Authorization', value: `Basic ${login}` }],
    secrets: [key, login],
    errorText: mailchimpErrorText,
  };
});
