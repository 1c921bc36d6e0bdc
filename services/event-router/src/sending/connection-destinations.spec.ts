import { createConnectors, type GuardedHttp } from '@penstock/connectors';
import {
  ConfigurationReplica,
  type ConnectionDelivery,
  type ConnectionId,
} from '@penstock/contracts';
import type { Seals } from '@penstock/runtime';
import { connectionState } from '../routing/routing.fixture';
import { ConnectionDestinations } from './connection-destinations';

const ID = 'destination0001' as ConnectionId;
const DAY_S = 86_400;
const DAY_MS = 1_000 * DAY_S;

/** `maxAgeMs` of a destination with these delivery settings, where the limit is six days. */
const maxAgeMsOf = (delivery?: ConnectionDelivery): number | undefined => {
  const replica = new ConfigurationReplica();
  const state = connectionState({
    id: ID,
    role: 'Destination',
    connector: 'http',
    settings: JSON.stringify({ url: 'http://127.0.0.1/' }),
    ...(delivery && { delivery }),
  });
  replica.apply({ position: 1, state });
  const seals = { open: (settings: string) => settings } as unknown as Seals;
  const http = {} as GuardedHttp;
  const connectors = createConnectors({});
  return new ConnectionDestinations(replica, connectors, seals, http, 6 * DAY_MS).find(ID)
    ?.maxAgeMs;
};

it('uses the maximum age of the connection, else that of the installation', () => {
  expect(maxAgeMsOf({ maxAgeSeconds: 6 * DAY_S - 1 })).toBe(6 * DAY_MS - 1_000);
  expect(maxAgeMsOf({ maxAgeSeconds: 6 * DAY_S })).toBe(6 * DAY_MS);
  expect(maxAgeMsOf({})).toBeUndefined();
  expect(maxAgeMsOf()).toBeUndefined();
});

it('limits the maximum age by the retention, which may have been shortened afterwards', () => {
  expect(maxAgeMsOf({ maxAgeSeconds: 6 * DAY_S + 1 })).toBe(6 * DAY_MS);
  expect(maxAgeMsOf({ maxAgeSeconds: 29 * DAY_S })).toBe(6 * DAY_MS);
});
