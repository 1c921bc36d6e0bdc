import { members } from '@penstock/settings';
import { apiKey } from '../settings/api-key';
import { baseUrlSetting } from '../settings/url';

const MAX_KEY_LENGTH = 255;

/** Settings of the `klaviyo` connector. */
export const klaviyoForm = members(
  {
    name: 'privateAPIKey',
    form: apiKey({
      minLength: 37,
      maxLength: MAX_KEY_LENGTH,
      problem: (key) => (key.startsWith('pk_') ? undefined : 'must begin with pk_'),
    }),
    description:
      'Private API key of the account, with the scopes to write events, and to read and write profiles.',
    required: true,
  },
  baseUrlSetting,
);
