import type { StoredDeliveryView } from '@penstock/contracts';
import { attemptRecord, outcomeRecord } from '../store/contract/changes.fixture';
import { type Fate, fateOf, type FateSources } from './fate';

const SOURCES: FateSources = {
  verdict: 'Matched',
  stored: undefined,
  outcome: undefined,
  attempts: [],
  isSuppressed: false,
  isRouted: true,
  isBehind: false,
  isRecorded: true,
};

const stored = {
  state: 'Waiting',
  step: null,
  code: '',
  reason: 'answered 503',
  attempts: 4,
  endedAt: null,
  nextAttemptAt: '2026-03-01T09:31:00.000Z',
} as unknown as StoredDeliveryView;

const outcome = outcomeRecord({ attempts: 2 });

it.each<[string, Partial<FateSources>, Partial<Fate>]>([
  ['open', {}, { state: 'Open', nextAttemptMs: null, attemptCount: 0 }],
  [
    'open, tried before',
    { attempts: [attemptRecord({ attempt: 3, dueMs: 7 })] },
    { state: 'Open', nextAttemptMs: 7, attemptCount: 3, reason: 'answered 503' },
  ],
  ['open, behind', { isBehind: true, isRouted: false }, { state: 'Open' }],
  ['unread', { isRouted: false }, { state: 'Unread' }],
  ['unknown, not recorded', { isRecorded: false }, { state: 'Unknown' }],
  ['unknown, without an event', { verdict: undefined }, { state: 'Unknown' }],
  ['unmatched', { verdict: 'Unmatched' }, { state: 'Filtered', step: 'Filter', code: '' }],
  ['opted out', { verdict: 'OptedOut' }, { state: 'Filtered', code: 'OptedOut' }],
  ['disabled', { verdict: 'Disabled' }, { state: 'Filtered', code: 'Disabled' }],
  ['suppressed', { isSuppressed: true }, { state: 'Filtered', code: 'Suppressed' }],
  [
    'delivered',
    { outcome },
    { state: 'Delivered', step: 'Finalize', endedAtMs: outcome.atMs, attemptCount: 2 },
  ],
  ['delivered, then suppressed', { outcome, isSuppressed: true }, { state: 'Delivered' }],
  ['delivered, otherwise unknown', { outcome, verdict: undefined }, { state: 'Delivered' }],
  [
    'rejected by the destination',
    { outcome: { ...outcome, state: 'Rejected', code: '400' } },
    { state: 'Rejected', step: 'Finalize', code: '400' },
  ],
  [
    'rejected by a transformation',
    { outcome: { ...outcome, state: 'Rejected', code: '' } },
    { state: 'Rejected', step: null },
  ],
  [
    'filtered while it waited',
    { outcome: { ...outcome, state: 'Filtered', code: 'Suppressed' } },
    { state: 'Filtered', step: 'Filter' },
  ],
  [
    'waiting',
    { stored },
    { state: 'Waiting', nextAttemptMs: Date.parse('2026-03-01T09:31:00.000Z'), attemptCount: 4 },
  ],
  [
    'stored, with its ending',
    { stored: { ...stored, state: 'Parked' }, outcome },
    { state: 'Parked' },
  ],
])('%s', (_, given, fate) => {
  expect(fateOf({ ...SOURCES, ...given })).toMatchObject(fate);
});
