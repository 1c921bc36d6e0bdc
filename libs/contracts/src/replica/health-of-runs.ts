import { HEALTH_CAUSES, type HealthCode } from '../health.facts';
import type { HealthView } from '../operations/health.operations';
import type { RunControlState } from '../state';

const codeOf = ({ status, message }: NonNullable<RunControlState['last']>): HealthCode => {
  if (status === 'Failed') return 'RunFailed';
  return status === 'Skipped' && message === 'mode' ? 'RunSkipped' : '';
};

const health = (code: HealthCode, since: HealthView['since']): HealthView => ({
  status: HEALTH_CAUSES[code].status,
  code,
  since,
});

/**
 * The health of a pipeline that runs, by its last run or slot; unless that has failed, by what its live run waits for.
 *
 * @param control undefined: it never ran.
 */
export const healthOfRuns = (control: RunControlState | undefined): HealthView => {
  const last = control?.last ?? null;
  const ofLast = health(last === null ? 'NeverRun' : codeOf(last), last?.at ?? null);
  const since = control?.live?.waitingSince;
  return since === undefined || ofLast.status === 'Failing' ? ofLast : health('RunWaits', since);
};
