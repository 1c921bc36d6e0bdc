import { members } from '@penstock/settings';
import { apiKey } from '../settings/api-key';
import { baseUrlSetting } from '../settings/url';

const MAX_TOKEN_LENGTH = 255;

/** Settings of the `hubspot` connector. */
export const hubspotForm = members(
  {
    name: 'accessToken',
    form: apiKey({ maxLength: MAX_TOKEN_LENGTH }),
    description: 'Access token of a private app, with the scopes of contacts and their schemas.',
    required: true,
  },
  baseUrlSetting,
);
