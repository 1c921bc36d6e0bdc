import { checkedBy } from '@penstock/settings';
import type { Connector } from '../connector/connector';
import { klaviyoDestination } from './klaviyo-destination';
import { klaviyoForm } from './klaviyo-settings';

/** Sends events and profiles to an account of Klaviyo. */
export const klaviyoConnector: Connector = {
  code: 'klaviyo',
  label: 'Klaviyo',
  type: 'Application',
  categories: ['Marketing'],
  asSource: null,
  asDestination: {
    targets: ['Event'],
    sendingMode: 'Server',
    summary: 'Sends events, and the profiles of their users, to an account of Klaviyo.',
  },
  settings: klaviyoForm,
  terms: { user: 'profile', users: 'profiles', userId: 'Profile ID' },
  checkSettings: checkedBy(klaviyoForm),
  eventDestination: klaviyoDestination,
};
