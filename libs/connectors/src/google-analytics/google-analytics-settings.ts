import { members, text, word } from '@penstock/settings';
import { apiKey } from '../settings/api-key';
import { baseUrlSetting } from '../settings/url';

const MAX_SECRET_LENGTH = 100;

/** Settings of the `google-analytics` connector. */
export const googleAnalyticsForm = members(
  {
    name: 'measurementID',
    form: text({
      minLength: 2,
      maxLength: 20,
      problem: (id) => (id.startsWith('G-') ? undefined : 'must begin with G-'),
    }),
    description: 'Measurement ID of the data stream.',
    required: true,
  },
  {
    name: 'apiSecret',
    form: apiKey({ maxLength: MAX_SECRET_LENGTH }),
    description: 'API secret of the Measurement Protocol, made for the data stream.',
    required: true,
  },
  {
    name: 'collectionEndpoint',
    form: word('Global', 'EU'),
    description: 'Where events are collected.',
    default: 'Global',
  },
  baseUrlSetting,
);
