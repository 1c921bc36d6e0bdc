import type { ConnectionId } from '@penstock/contracts';
import { KEYS_FAIL_AFTER_MS, LaneCodes, type ObservedLane } from './lane-codes';

const NOW_MS = 1_000_000;

const lane = (
  members: {
    health?: Partial<ObservedLane['health']>;
    troubledMs?: readonly (number | undefined)[];
    isDetached?: boolean;
  } = {},
): ObservedLane => ({
  destination: 'destination0001' as ConnectionId,
  health: { state: 'flowing', isSuspect: false, successes: 0, ...members.health },
  flow: {
    troubled: (members.troubledMs ?? []).map((ms) => ({
      troubleFromMs: ms === undefined ? undefined : NOW_MS - ms,
    })),
  },
  parts: [{ detachment: undefined }, { detachment: members.isDetached === true ? {} : undefined }],
});

let codes: LaneCodes;

beforeEach(() => {
  codes = new LaneCodes();
});

const of = (...parameters: Parameters<typeof lane>) => codes.of(lane(...parameters), NOW_MS);

it.each([
  ['AccessDenied', { health: { state: 'paused' as const }, isDetached: true }],
  ['DestinationFails', { health: { state: 'circuit' as const }, troubledMs: [90_000] }],
  ['KeysFail', { troubledMs: [KEYS_FAIL_AFTER_MS, 5], isDetached: true }],
  ['Behind', { isDetached: true, troubledMs: [KEYS_FAIL_AFTER_MS - 1] }],
  [undefined, {}],
])('of a lane is %s: %j', (code, members) => {
  expect(of(members)).toBe(code);
});

it('is empty once requests have succeeded, also without further ones', () => {
  expect(of({ health: { state: 'circuit', successes: 7 } })).toBe('DestinationFails');
  expect(of({ health: { successes: 7 } })).toBeUndefined();
  expect(of({ health: { successes: 8 } })).toBe('');
  expect(of({ health: { successes: 8 } })).toBe('');
});

it('is unknown while requests have failed lately, although others have succeeded', () => {
  expect(of({ health: { successes: 1, isSuspect: true } })).toBeUndefined();
  expect(of({ health: { successes: 2 }, troubledMs: [10] })).toBeUndefined();
  expect(of({ health: { successes: 2 } })).toBeUndefined();
  expect(of({ health: { successes: 3 } })).toBe('');
});

it('looks at no more than a hundred failing keys', () => {
  const young = Array.from({ length: 99 }, () => 10);
  expect(of({ troubledMs: [...young, KEYS_FAIL_AFTER_MS] })).toBe('KeysFail');
  expect(of({ troubledMs: [...young, 10, KEYS_FAIL_AFTER_MS] })).toBeUndefined();
});
