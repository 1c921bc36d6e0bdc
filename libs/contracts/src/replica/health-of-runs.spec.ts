import type { Instant } from '../ids';
import type { LiveRun, RunControlState } from '../state';
import { healthOfRuns } from './health-of-runs';

const [BEFORE, NOW] = [
  '2026-06-01T00:00:00.000Z' as Instant,
  '2026-06-01T01:00:00.000Z' as Instant,
];

const last = (status: 'Succeeded' | 'Failed') => ({ status, at: BEFORE, message: '' });
const live = (waitingSince?: Instant) =>
  ({ run: 'r', ...(waitingSince && { waitingSince }) }) as unknown as LiveRun;

it.each<[string, Pick<RunControlState, 'last' | 'live'>, string, string, Instant | null]>([
  ['has not run', { last: null, live: live() }, 'Unknown', 'NeverRun', null],
  ['waits in its first run', { last: null, live: live(NOW) }, 'Degraded', 'RunWaits', NOW],
  ['has succeeded', { last: last('Succeeded'), live: live() }, 'Healthy', '', BEFORE],
  ['waits', { last: last('Succeeded'), live: live(NOW) }, 'Degraded', 'RunWaits', NOW],
  [
    'waits after a failure',
    { last: last('Failed'), live: live(NOW) },
    'Failing',
    'RunFailed',
    BEFORE,
  ],
])('of a pipeline that %s', (_, state, status, code, since) => {
  expect(healthOfRuns(state as RunControlState)).toEqual({ status, code, since });
});
