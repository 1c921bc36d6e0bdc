import { HEALTH_CAUSES, type HealthCode } from './health.facts';
import {
  codeToRecord,
  countedChanges,
  HEALTH_CODE_HOLDS_MS,
  HEALTH_HOLDS_MS,
  MAX_HEALTH_CHANGES,
} from './health-rule';
import { instant, type Instant } from './ids';

const NOW_MS = Date.UTC(2026, 2, 1, 12);
const HOUR_MS = 3_600_000;
const at = (ms: number): Instant => instant(new Date(NOW_MS + ms));
const now = at(0);

/** Recorded with this code, by changes of these ages in milliseconds. */
const recorded = (code: HealthCode, ...agesMs: readonly number[]) => ({
  code,
  status: HEALTH_CAUSES[code].status,
  changedAt: [...agesMs].sort((a, b) => b - a).map((age) => at(-age)),
});

/** Ages of changes within the hour, the newest of which holds no longer. */
const changes = (number: number): number[] =>
  Array.from({ length: number }, (_, index) => HEALTH_HOLDS_MS * (index + 1));

it('records the first trouble at once, and nothing of what has always been healthy', () => {
  expect(codeToRecord(null, 'DestinationFails', now)).toBe('DestinationFails');
  expect(codeToRecord(null, '', now)).toBeUndefined();
});

it('records nothing that is recorded already', () => {
  const before = recorded('AccessDenied', HOUR_MS);
  expect(codeToRecord(before, 'AccessDenied', now)).toBeUndefined();
  expect(codeToRecord(before, '', now)).toBe('');
});

it('holds a status for its time', () => {
  const after = (ms: number) => codeToRecord(recorded('DestinationFails', ms), '', now);
  expect(after(HEALTH_HOLDS_MS - 1)).toBeUndefined();
  expect(after(HEALTH_HOLDS_MS)).toBe('');
});

it('holds a code longer while the status stays', () => {
  const after = (ms: number) => codeToRecord(recorded('Behind', ms), 'KeysFail', now);
  expect(after(HEALTH_CODE_HOLDS_MS - 1)).toBeUndefined();
  expect(after(HEALTH_CODE_HOLDS_MS)).toBe('KeysFail');
});

it('records Unstable as the last change within an hour, and none after it', () => {
  const wanted = (number: number, code: HealthCode = '') =>
    codeToRecord(recorded(code, ...changes(number)), 'DestinationFails', now);
  expect(wanted(MAX_HEALTH_CHANGES - 2)).toBe('DestinationFails');
  expect(wanted(MAX_HEALTH_CHANGES - 1)).toBe('Unstable');
  expect(wanted(MAX_HEALTH_CHANGES, 'Unstable')).toBeUndefined();
});

it('records changes again when the older ones were an hour ago', () => {
  const older = (ages: readonly number[]) =>
    codeToRecord(recorded('Unstable', ...ages), 'DestinationFails', now);
  const newest = changes(MAX_HEALTH_CHANGES - 2);
  expect(older([...newest, HOUR_MS - 1, HOUR_MS])).toBeUndefined();
  expect(older([...newest, HOUR_MS, HOUR_MS])).toBe('DestinationFails');
});

it('records at most six changes in any hour, however long something flaps', () => {
  let state: ReturnType<typeof recorded> | null = null;
  const times: number[] = [];
  for (let ms = 0; ms < 5 * HOUR_MS; ms += 5_000) {
    const code = codeToRecord(state, (ms / 5_000) % 2 === 0 ? 'DestinationFails' : '', at(ms));
    if (code === undefined) continue;
    times.push(ms);
    const changedAt = countedChanges(state?.changedAt ?? [], { recordedAt: at(ms) });
    state = { code, status: HEALTH_CAUSES[code].status, changedAt: [...changedAt] };
  }
  for (const from of times)
    expect(times.filter((ms) => ms >= from && ms < from + HOUR_MS).length).toBeLessThanOrEqual(
      MAX_HEALTH_CHANGES,
    );
  expect(times.length).toBeGreaterThan(MAX_HEALTH_CHANGES);
});
