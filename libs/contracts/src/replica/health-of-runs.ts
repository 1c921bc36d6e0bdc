import { HEALTH_CAUSES, type HealthCode } from '../health.facts';
import type { HealthView } from '../operations/health.operations';
import type { RunControlState } from '../state';

const codeOf = ({ status, message }: NonNullable<RunControlState['last']>): HealthCode => {
  if (status === 'Failed') return 'RunFailed';
  return status === 'Skipped' && message === 'mode' ? 'RunSkipped' : '';
};

/** The health of a pipeline that runs, by its last run or slot. @param control undefined: it never ran. */
export const healthOfRuns = (control: RunControlState | undefined): HealthView => {
  const last = control?.last ?? null;
  const code = last === null ? 'NeverRun' : codeOf(last);
  return { status: HEALTH_CAUSES[code].status, code, since: last?.at ?? null };
};
