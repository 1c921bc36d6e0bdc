import {
  type ConnectionId,
  type HealthCode,
  instant,
  type Instant,
  MAX_HEALTH_CHANGES,
  type WorkspaceId,
} from '@penstock/contracts';
import { specify } from '@penstock/event-sourcing';
import { type HealthCommand, healthDecider } from './health.decide';

const { given } = specify(healthDecider);

const START_MS = Date.UTC(2026, 2, 1, 9, 30);
const at = (seconds: number): Instant => instant(new Date(START_MS + seconds * 1_000));

const observed = (code: HealthCode, seconds: number) => ({
  subject: 'connection' as const,
  id: 'destination0001' as ConnectionId,
  workspace: 'workspace000001' as WorkspaceId,
  code,
  since: at(seconds - 1),
  objectVersion: 3,
});

const report = (code: HealthCode, seconds: number): HealthCommand => ({
  type: 'ReportHealth',
  report: observed(code, seconds),
  now: at(seconds),
});

const changed = (
  code: HealthCode,
  status: 'Healthy' | 'Degraded' | 'Failing' | 'Paused',
  seconds: number,
) => ({
  type: 'HealthChanged' as const,
  data: { ...observed(code, seconds), status, recordedAt: at(seconds) },
});

it('records a trouble with its status, since when it was observed, and its end', () => {
  given()
    .when(report('AccessDenied', 0))
    .then(changed('AccessDenied', 'Paused', 0));
  given(changed('AccessDenied', 'Paused', 0))
    .when(report('', 30))
    .then(changed('', 'Healthy', 30));
});

it('records nothing of a report that changes nothing, or comes too early', () => {
  given().when(report('', 0)).thenNothing();
  given(changed('AccessDenied', 'Paused', 0))
    .when(report('AccessDenied', 300))
    .thenNothing();
  given(changed('AccessDenied', 'Paused', 0))
    .when(report('', 29))
    .thenNothing();
});

it('records that something is unstable since now, in place of too many changes', () => {
  const changes = Array.from({ length: MAX_HEALTH_CHANGES - 1 }, (_, index) =>
    index % 2 === 0
      ? changed('DestinationFails', 'Failing', index * 60)
      : changed('', 'Healthy', index * 60),
  );
  const seconds = MAX_HEALTH_CHANGES * 60;
  const unstable = changed('Unstable', 'Degraded', seconds);
  const data = { ...unstable.data, since: at(seconds) };
  given(...changes)
    .when(report('', seconds))
    .then({ ...unstable, data });
});
