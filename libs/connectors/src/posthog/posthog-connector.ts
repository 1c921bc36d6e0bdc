import { checkedBy } from '@penstock/settings';
import type { Connector } from '../connector/connector';
import { posthogDestination } from './posthog-destination';
import { posthogForm } from './posthog-settings';

/** Sends events to a project of PostHog. */
export const posthogConnector: Connector = {
  code: 'posthog',
  label: 'PostHog',
  type: 'Application',
  categories: ['Analytics'],
  asSource: null,
  asDestination: {
    targets: ['Event'],
    sendingMode: 'Server',
    summary: 'Sends events to a project of PostHog.',
  },
  settings: posthogForm,
  terms: { user: 'person', users: 'persons', userId: 'Distinct ID' },
  checkSettings: checkedBy(posthogForm),
  eventDestination: posthogDestination,
};
