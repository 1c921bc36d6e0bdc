import { checkedBy } from '@penstock/settings';
import type { Connector } from '../connector/connector';
import { googleAnalyticsDestination } from './google-analytics-destination';
import { googleAnalyticsForm } from './google-analytics-settings';

/** Sends events to a data stream of Google Analytics 4. */
export const googleAnalyticsConnector: Connector = {
  code: 'google-analytics',
  label: 'Google Analytics',
  type: 'Application',
  categories: ['Analytics'],
  asSource: null,
  asDestination: {
    targets: ['Event'],
    sendingMode: 'Server',
    summary: 'Sends events to a data stream of Google Analytics 4.',
  },
  settings: googleAnalyticsForm,
  terms: { user: 'user', users: 'users', userId: 'Client ID' },
  checkSettings: checkedBy(googleAnalyticsForm),
  eventDestination: googleAnalyticsDestination,
};
