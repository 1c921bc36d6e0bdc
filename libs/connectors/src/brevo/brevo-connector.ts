import { checkedBy } from '@penstock/settings';
import type { Connector } from '../connector/connector';
import { askBrevo } from './brevo-ask';
import { brevoUserDestination } from './brevo-contacts';
import { brevoDestination } from './brevo-destination';
import { brevoForm } from './brevo-settings';
import { brevoUserSource } from './brevo-users';

/** Reads and writes the contacts of an account of Brevo, and sends it events. */
export const brevoConnector: Connector = {
  code: 'brevo',
  label: 'Brevo',
  type: 'Application',
  categories: ['Marketing'],
  asSource: { targets: ['User'], summary: 'Reads the contacts of an account of Brevo.' },
  asDestination: {
    targets: ['Event', 'User'],
    sendingMode: 'Server',
    summary: 'Sends events and contacts to an account of Brevo.',
  },
  settings: brevoForm,
  terms: { user: 'contact', users: 'contacts', userId: 'Contact ID' },
  checkSettings: checkedBy(brevoForm),
  askSettings: askBrevo,
  eventDestination: brevoDestination,
  userSource: brevoUserSource,
  userDestination: brevoUserDestination,
};
