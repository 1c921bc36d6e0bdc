import { checkedBy } from '@penstock/settings';
import type { Connector } from '../connector/connector';
import { askMailchimp } from './mailchimp-ask';
import { mailchimpUserDestination } from './mailchimp-destination';
import { mailchimpForm } from './mailchimp-settings';
import { mailchimpUserSource } from './mailchimp-users';

/** Reads and writes the members of an audience of Mailchimp. */
export const mailchimpConnector: Connector = {
  code: 'mailchimp',
  label: 'Mailchimp',
  type: 'Application',
  categories: ['Marketing'],
  asSource: { targets: ['User'], summary: 'Reads the members of an audience of Mailchimp.' },
  asDestination: {
    targets: ['User'],
    sendingMode: 'Server',
    summary: 'Creates and changes members of an audience of Mailchimp.',
  },
  settings: mailchimpForm,
  terms: { user: 'member', users: 'members', userId: 'Member ID' },
  checkSettings: checkedBy(mailchimpForm),
  askSettings: askMailchimp,
  userSource: mailchimpUserSource,
  userDestination: mailchimpUserDestination,
};
