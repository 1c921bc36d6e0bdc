import { readText } from '@penstock/settings';
import type { Settings } from '../connector/connector';
import type { DraftHeader } from '../requests/draft';
import { perSettings } from '../settings/per-settings';
import { baseUrl } from '../settings/url';

const HOST = 'https://api.hubapi.com';

/** An account of HubSpot in the form in which each request needs it. */
export interface HubspotAccount {
  /** Of contacts, without a slash at the end. */
  readonly contacts: string;
  /** Of the properties of contacts. */
  readonly properties: string;
  readonly authorization: DraftHeader;
  /** Headers of a request with JSON. */
  readonly headers: Readonly<Record<string, string>>;
  /** Never shown. */
  readonly secrets: readonly string[];
}

export const hubspotAccount = perSettings((settings: Settings): HubspotAccount => {
  const token = readText(settings, 'accessToken');
  const base = baseUrl(settings, HOST);
  const authorization = { name: 'Authorization', value: `Bearer ${token}` };
  return {
    contacts: `${base}/crm/v3/objects/contacts`,
    properties: `${base}/crm/v3/properties/contacts`,
    authorization,
    headers: { [authorization.name]: authorization.value, 'Content-Type': 'application/json' },
    secrets: [token],
  };
});
