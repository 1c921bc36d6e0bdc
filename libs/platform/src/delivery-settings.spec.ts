import { PENSTOCK_RULES, PENSTOCK_VARIABLES, readConfig } from '@penstock/runtime';
import { deliverySettings } from './delivery-settings';

const HOUR_MS = 3_600_000;

const settings = (env: Record<string, string>) =>
  deliverySettings(readConfig(env, PENSTOCK_VARIABLES, PENSTOCK_RULES, { folder: '/nonexistent' }));

it('are those of the specification where nothing is set', () => {
  expect(settings({})).toEqual({
    eventsRetentionMs: 30 * 24 * HOUR_MS,
    maxAgeMs: 24 * HOUR_MS,
    deadLettersMs: 14 * 24 * HOUR_MS,
    duplicateWindowMs: 24 * HOUR_MS,
    routerMemoryBytes: 256 * 1024 * 1024,
  });
});

it('are what is set', () => {
  const env = {
    PENSTOCK_EVENTS_RETENTION: '90d',
    PENSTOCK_RETRY_HOURS: '72',
    PENSTOCK_DEAD_LETTER_DAYS: '7',
    PENSTOCK_DUPLICATE_WINDOW_HOURS: '48',
    PENSTOCK_EVENTS_FROM: 'latest',
    PENSTOCK_ROUTER_MEMORY_MIB: '64',
  };
  expect(settings(env)).toEqual({
    eventsRetentionMs: 90 * 24 * HOUR_MS,
    maxAgeMs: 72 * HOUR_MS,
    deadLettersMs: 7 * 24 * HOUR_MS,
    duplicateWindowMs: 48 * HOUR_MS,
    routerMemoryBytes: 64 * 1024 * 1024,
    eventsFrom: 'latest',
  });
});
