import { checkedBy } from '@penstock/settings';
import type { Connector } from '../connector/connector';
import { hubspotUserDestination } from './hubspot-destination';
import { hubspotProperties } from './hubspot-properties';
import { hubspotForm } from './hubspot-settings';
import { hubspotUserSource } from './hubspot-source';

/** Reads and writes the contacts of an account of HubSpot. */
export const hubspotConnector: Connector = {
  code: 'hubspot',
  label: 'HubSpot',
  type: 'Application',
  categories: ['CRM'],
  asSource: { targets: ['User'], summary: 'Reads the contacts of an account of HubSpot.' },
  asDestination: {
    targets: ['User'],
    sendingMode: 'Server',
    summary: 'Creates and changes contacts of an account of HubSpot.',
  },
  settings: hubspotForm,
  terms: { user: 'contact', users: 'contacts', userId: 'Record ID' },
  checkSettings: checkedBy(hubspotForm),
  askSettings: (settings, _, context) => hubspotProperties(settings, context),
  userSource: hubspotUserSource,
  userDestination: hubspotUserDestination,
};
