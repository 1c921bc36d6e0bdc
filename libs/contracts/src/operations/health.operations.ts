import type { HealthCode, HealthStatus, HealthSubject } from '../health.facts';
import type { ConnectionId, Instant, PipelineId } from '../ids';
import { command } from './operation';

/** What the routers have observed of a connection or a pipeline. */
export interface HealthReport {
  readonly subject: HealthSubject;
  readonly id: ConnectionId | PipelineId;
  readonly code: HealthCode;
  readonly since: Instant;
  /** Of the object, as the routers know it. */
  readonly objectVersion: number;
}

/** A health as it is answered. */
export interface HealthView {
  readonly status: HealthStatus;
  readonly code: HealthCode;
  /** `null`: there was nothing to observe yet. */
  readonly since: Instant | null;
  /** What of the object it is about, for people. Absent: all of it. */
  readonly detail?: string;
}

/** About the health of connections and pipelines. */
export const HEALTH_OPERATIONS = {
  /**
   * Sent by routers, about an object of any workspace. Recorded only where it changes something, and not too often
   * (`codeToRecord`), so that it can be repeated.
   */
  ReportHealth: command<HealthReport>({
    refusals: ['ConnectionNotExist', 'PipelineNotExist'],
    hasDryRun: false,
  }),
};
