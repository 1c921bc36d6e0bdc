import { checkedBy } from '@penstock/settings';
import type { Connector } from '../connector/connector';
import { dummyDestination } from './dummy-destination';
import { dummyForm } from './dummy-settings';
import type { DummyStore } from './dummy-store';
import { dummyUserDestination } from './dummy-user-destination';
import { dummyUserSource } from './dummy-users';

/** The application that tests are made with. */
export const dummyConnector = (store: DummyStore): Connector => ({
  code: 'dummy',
  label: 'Dummy',
  type: 'Application',
  categories: ['Test'],
  asSource: { targets: ['User'], summary: 'Gives generated users, for tests.' },
  asDestination: {
    targets: ['User', 'Event'],
    sendingMode: 'Server',
    summary: 'Takes users and events, for tests: fails and delays as its settings say.',
  },
  settings: dummyForm,
  terms: { user: 'user', users: 'users', userId: 'Dummy ID' },
  checkSettings: checkedBy(dummyForm),
  eventDestination: dummyDestination(store),
  userSource: dummyUserSource(store),
  userDestination: dummyUserDestination(store),
});
