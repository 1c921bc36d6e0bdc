import { members, text, word } from '@penstock/settings';
import { apiKey } from '../settings/api-key';
import { baseUrlSetting } from '../settings/url';

const MAX_ID_LENGTH = 100;

/** Settings of the `mixpanel` connector. */
export const mixpanelForm = members(
  {
    name: 'projectID',
    form: text({ maxLength: MAX_ID_LENGTH }),
    description: 'ID of the project.',
    required: true,
  },
  {
    name: 'projectToken',
    form: apiKey({ maxLength: MAX_ID_LENGTH }),
    description: 'Token of the project.',
    required: true,
  },
  {
    name: 'dataResidency',
    form: word('US', 'EU', 'IN'),
    description: 'Where the data of the project is kept.',
    default: 'US',
  },
  baseUrlSetting,
);
