import { members } from '@penstock/settings';
import { apiKey } from '../settings/api-key';
import { baseUrlSetting } from '../settings/url';

const MAX_KEY_LENGTH = 200;

/** Settings of the `stripe` connector. */
export const stripeForm = members(
  {
    name: 'apiKey',
    form: apiKey({ maxLength: MAX_KEY_LENGTH }),
    description: 'Secret or restricted key of the account, with access to customers.',
    required: true,
  },
  baseUrlSetting,
);
