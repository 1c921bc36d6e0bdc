import { checkedBy } from '@penstock/settings';
import type { Connector } from '../connector/connector';
import { askKlaviyo } from './klaviyo-ask';
import { klaviyoDestination } from './klaviyo-destination';
import { klaviyoUserDestination } from './klaviyo-profiles';
import { klaviyoForm } from './klaviyo-settings';
import { klaviyoUserSource } from './klaviyo-users';

/** Reads and writes the profiles of an account of Klaviyo, and sends it events. */
export const klaviyoConnector: Connector = {
  code: 'klaviyo',
  label: 'Klaviyo',
  type: 'Application',
  categories: ['Marketing'],
  asSource: { targets: ['User'], summary: 'Reads the profiles of an account of Klaviyo.' },
  asDestination: {
    targets: ['Event', 'User'],
    sendingMode: 'Server',
    summary: 'Sends events and profiles to an account of Klaviyo.',
  },
  settings: klaviyoForm,
  terms: { user: 'profile', users: 'profiles', userId: 'Profile ID' },
  checkSettings: checkedBy(klaviyoForm),
  askSettings: askKlaviyo,
  eventDestination: klaviyoDestination,
  userSource: klaviyoUserSource,
  userDestination: klaviyoUserDestination,
};
