import { checkedBy } from '@penstock/settings';
import type { Connector } from '../connector/connector';
import { mixpanelDestination } from './mixpanel-destination';
import { mixpanelForm } from './mixpanel-settings';

/** Sends events and profiles to a project of Mixpanel. */
export const mixpanelConnector: Connector = {
  code: 'mixpanel',
  label: 'Mixpanel',
  type: 'Application',
  categories: ['Analytics'],
  asSource: null,
  asDestination: {
    targets: ['Event'],
    sendingMode: 'Server',
    summary: 'Sends events, and the profiles of their users, to a project of Mixpanel.',
  },
  settings: mixpanelForm,
  terms: { user: 'user', users: 'users', userId: 'Distinct ID' },
  checkSettings: checkedBy(mixpanelForm),
  eventDestination: mixpanelDestination,
};
