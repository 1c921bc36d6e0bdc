import { checkedBy } from '@penstock/settings';
import type { Connector } from '../connector/connector';
import { readCustomers } from './stripe-customers';
import { stripeUserDestination } from './stripe-destination';
import { stripeForm } from './stripe-settings';
import { stripeUserSource } from './stripe-source';

/** Reads and writes the customers of an account of Stripe. */
export const stripeConnector: Connector = {
  code: 'stripe',
  label: 'Stripe',
  type: 'Application',
  categories: ['Payment'],
  asSource: { targets: ['User'], summary: 'Reads the customers of an account of Stripe.' },
  asDestination: {
    targets: ['User'],
    sendingMode: 'Server',
    summary: 'Creates and changes customers of an account of Stripe.',
  },
  settings: stripeForm,
  terms: { user: 'customer', users: 'customers', userId: 'Customer ID' },
  checkSettings: checkedBy(stripeForm),
  askSettings: (settings, _, context) => readCustomers({ limit: '1' }, settings, context),
  userSource: stripeUserSource,
  userDestination: stripeUserDestination,
};
