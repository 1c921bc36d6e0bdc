import { checkedBy } from '@penstock/settings';
import type { Connector } from '../connector';
import { dummyDestination } from './dummy-destination';
import { dummyForm } from './dummy-settings';
import type { DummyStore } from './dummy-store';

/** The application that tests are made with. */
export const dummyConnector = (store: DummyStore): Connector => ({
  code: 'dummy',
  label: 'Dummy',
  type: 'Application',
  categories: ['Test'],
  asSource: null,
  asDestination: {
    targets: ['Event'],
    sendingMode: 'Server',
    summary: 'Takes events, for tests: fails and delays as its settings say.',
  },
  settings: dummyForm,
  terms: { user: 'user', users: 'users', userId: 'Dummy ID' },
  checkSettings: checkedBy(dummyForm),
  eventDestination: dummyDestination(store),
});
