import { members } from '@penstock/settings';
import { apiKey } from '../settings/api-key';
import { baseUrlSetting } from '../settings/url';

const MAX_KEY_LENGTH = 255;

/** Settings of the `brevo` connector. */
export const brevoForm = members(
  {
    name: 'apiKey',
    form: apiKey({ maxLength: MAX_KEY_LENGTH }),
    description: 'API key of the account.',
    required: true,
  },
  baseUrlSetting,
);
