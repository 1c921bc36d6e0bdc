import { checkedBy } from '@penstock/settings';
import type { Connector } from '../connector/connector';
import { brevoDestination } from './brevo-destination';
import { brevoForm } from './brevo-settings';

/** Sends events to an account of Brevo. */
export const brevoConnector: Connector = {
  code: 'brevo',
  label: 'Brevo',
  type: 'Application',
  categories: ['Marketing'],
  asSource: null,
  asDestination: {
    targets: ['Event'],
    sendingMode: 'Server',
    summary: 'Sends events of contacts to an account of Brevo.',
  },
  settings: brevoForm,
  terms: { user: 'contact', users: 'contacts', userId: 'Contact ID' },
  checkSettings: checkedBy(brevoForm),
  eventDestination: brevoDestination,
};
