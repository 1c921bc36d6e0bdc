import {
  codeToRecord,
  countedChanges,
  HEALTH_CAUSES,
  type HealthFact,
  type HealthState,
  type Instant,
  type NewHealth,
} from '@penstock/contracts';
import type { Decider } from '@penstock/event-sourcing';

/** The published state, which is all that decisions depend on. `null`: the object has always been healthy. */
export type Health = HealthState | null;

export interface HealthCommand {
  readonly type: 'ReportHealth';
  readonly report: Omit<NewHealth, 'status' | 'recordedAt'>;
  readonly now: Instant;
}

const evolve = (state: Health, { data: { recordedAt, ...data } }: HealthFact): Health => ({
  ...data,
  kind: 'health',
  version: (state?.version ?? 0) + 1,
  changedAt: countedChanges(state?.changedAt ?? [], { recordedAt }),
});

const decide = ({ report, now }: HealthCommand, state: Health): HealthFact[] => {
  const code = codeToRecord(state, report.code, now);
  if (code === undefined) return [];
  const { status } = HEALTH_CAUSES[code];
  const since = code === report.code ? report.since : now;
  return [{ type: 'HealthChanged', data: { ...report, status, code, since, recordedAt: now } }];
};

/** The rules of the health of a connection or a pipeline: what is recorded, and how often. */
export const healthDecider: Decider<Health, HealthCommand, HealthFact> = {
  initial: null,
  decide,
  evolve,
};

export const healthStream = (id: string): string => `health-${id}`;
