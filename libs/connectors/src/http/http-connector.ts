import { checkedBy } from '@penstock/settings';
import type { Connector } from '../connector/connector';
import { httpDestination } from './http-destination';
import { httpForm } from './http-settings';

/** Posts events to the user's own endpoint. */
export const httpConnector: Connector = {
  code: 'http',
  label: 'HTTP',
  type: 'Application',
  categories: ['Webhooks'],
  asSource: null,
  asDestination: {
    targets: ['Event'],
    sendingMode: 'Server',
    summary: 'Sends events to an HTTP endpoint of yours.',
  },
  settings: httpForm,
  terms: null,
  checkSettings: checkedBy(httpForm),
  eventDestination: httpDestination,
};
