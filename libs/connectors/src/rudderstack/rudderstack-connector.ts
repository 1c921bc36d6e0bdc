import { checkedBy, members } from '@penstock/settings';
import type { Connector } from '../connector/connector';

const form = members();

/** Receives events from a webhook destination of RudderStack. */
export const rudderstackConnector: Connector = {
  code: 'rudderstack',
  label: 'RudderStack',
  type: 'Webhook',
  categories: ['Customer data platforms'],
  asSource: {
    targets: ['Event', 'User'],
    summary: 'Receives events, and the users in them, from a webhook destination of RudderStack.',
  },
  asDestination: null,
  settings: form,
  terms: null,
  checkSettings: checkedBy(form),
  eventSource: { clientSide: false, ipPolicy: () => 'keep' },
};
