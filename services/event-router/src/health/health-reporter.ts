import {
  codeToRecord,
  type ConfigurationReplica,
  type HealthCode,
  type HealthReport,
  instant,
} from '@penstock/contracts';
import { RequestFailed } from '@penstock/messaging';
import { RouterFault } from '../faults/router-fault';
import type { Observation, RouterStore } from '../store/router-store';
import type { Clock } from '../time/clock';
import { within } from '../time/within';
import { worstOf } from './worst-of';

export interface HealthReporterContext {
  readonly clock: Clock;
  readonly store: Pick<RouterStore, 'observe' | 'observations'>;
  readonly replica: Pick<ConfigurationReplica, 'connection' | 'pipeline' | 'healths'>;
  /** What this process observes now. */
  readonly look: () => readonly Observation[];
  /** Sends a report to the pipeline service, which decides whether to record it. */
  readonly report: (report: HealthReport) => Promise<void>;
  readonly onError: (error: unknown) => void;
  /** Milliseconds between looks; default: 2,000. */
  readonly pollMs?: number;
  /** Milliseconds for which something must be healthy before that is reported; default: 10,000. */
  readonly healthyMs?: number;
}

const POLL_MS = 2_000;
const HEALTHY_MS = 10_000;
/** Interval at which unchanged observations are written again: they are removed when this router was taken for dead. */
const WRITE_MS = 30_000;
/** Reports that are under way at once. */
const REPORTS_AT_ONCE = 20;
/** Longest time that `stop` waits for what is under way: it can be repeated by any router. */
const STOP_MS = 2_000;
/** Milliseconds for which a trouble is observed before it is reported; 0 unless named. */
const SETTLED_MS: Partial<Record<HealthCode, number>> = { Behind: 60_000 };

const NOT_RECORDED =
  'the health of connections and pipelines cannot be recorded, so that the recorded one is outdated; trying again';

/** Answers to a report about an object that was deleted meanwhile. */
const GONE: ReadonlySet<string> = new Set(['ConnectionNotExist', 'PipelineNotExist']);

/**
 * Shares what this router observes with the others, and reports the worst of all when it is the oldest router. When it
 * is killed, the next oldest goes on: everything that is to be reported is in the store or in the configuration.
 */
export class HealthReporter {
  private written = '';
  private writtenMs = -Infinity;
  private cancel: () => void = () => undefined;
  private looking: Promise<void> | undefined;
  private isStopped = false;

  constructor(private readonly context: HealthReporterContext) {}

  start(): void {
    if (this.isStopped) return;
    this.cancel = this.context.clock.after(this.context.pollMs ?? POLL_MS, () => {
      this.looking = this.lookOrFail().finally(() => {
        this.start();
      });
    });
  }

  /** Resolves when nothing is written or reported any more, or after `STOP_MS`. */
  async stop(): Promise<void> {
    this.isStopped = true;
    this.cancel();
    const looking = this.looking ?? Promise.resolve();
    await within(this.context.clock, STOP_MS, looking).catch(() => undefined);
  }

  /** Looks once. Rejects while the database or the log is unavailable. */
  async look(): Promise<void> {
    await this.share();
    const all = await this.context.store.observations();
    if (all === undefined) return;
    await this.sendAll(this.reportsOf(worstOf(all)));
  }

  private async lookOrFail(): Promise<void> {
    try {
      await this.look();
    } catch (error) {
      this.context.onError(new RouterFault(NOT_RECORDED, {}, error));
    }
  }

  private async share(): Promise<void> {
    const { clock, store, look } = this.context;
    const own = look();
    const text = JSON.stringify(own);
    if (text === this.written && clock.nowMs() - this.writtenMs < WRITE_MS) return;
    await store.observe(own);
    this.written = text;
    this.writtenMs = clock.nowMs();
  }

  private settledMs(code: HealthCode): number {
    return code === '' ? (this.context.healthyMs ?? HEALTHY_MS) : (SETTLED_MS[code] ?? 0);
  }

  private reportsOf(observed: readonly Observation[]): HealthReport[] {
    const nowMs = this.context.clock.wallMs();
    const settled = observed.filter(({ code, sinceMs }) => nowMs - sinceMs >= this.settledMs(code));
    const ids = new Set<string>(observed.map(({ id }) => id));
    return [...settled, ...this.outdated(ids, nowMs)].flatMap((each) => this.reportOf(each, nowMs));
  }

  /** Troubles of earlier versions of objects of which no router has observed anything: an update ends them. */
  private outdated(observed: ReadonlySet<string>, nowMs: number): Observation[] {
    return [...this.context.replica.healths.troubles()].flatMap(({ subject, id, objectVersion }) =>
      observed.has(id) || (this.versionOf({ subject, id }) ?? 0) <= objectVersion
        ? []
        : [{ subject, id, code: '', sinceMs: nowMs }],
    );
  }

  /** Nothing where nothing would be recorded, or the object was deleted. */
  private reportOf({ subject, id, code, sinceMs }: Observation, nowMs: number): HealthReport[] {
    const objectVersion = this.versionOf({ subject, id });
    const recorded = this.context.replica.healths.get(id) ?? null;
    const toRecord = codeToRecord(recorded, code, instant(new Date(nowMs)));
    if (objectVersion === undefined || toRecord === undefined) return [];
    return [{ subject, id, code, since: instant(new Date(sinceMs)), objectVersion }];
  }

  private versionOf({ subject, id }: Pick<Observation, 'subject' | 'id'>): number | undefined {
    const { replica } = this.context;
    return (subject === 'connection' ? replica.connection(id) : replica.pipeline(id))?.version;
  }

  /** Goes on while some are answered: one that is not must not delay the others. Rejects when one was not. */
  private async sendAll(reports: readonly HealthReport[]): Promise<void> {
    const failures: unknown[] = [];
    for (let from = 0; from < reports.length && !this.isStopped; from += REPORTS_AT_ONCE) {
      const some = reports.slice(from, from + REPORTS_AT_ONCE);
      const results = await Promise.allSettled(some.map((each) => this.send(each)));
      const failed = results.filter((result) => result.status === 'rejected');
      failures.push(...failed.map(({ reason }) => reason as unknown));
      if (failed.length === some.length) break;
    }
    if (failures.length > 0) throw failures[0];
  }

  /** A report that the pipeline service cannot handle delays no other. Rejects when it does not answer. */
  private async send(report: HealthReport): Promise<void> {
    try {
      await this.context.report(report);
    } catch (error) {
      if (!(error instanceof RequestFailed)) throw error;
      if (GONE.has(error.code)) return;
      const { subject, id } = report;
      const where = subject === 'connection' ? { connection: id } : { pipeline: id };
      this.context.onError(new RouterFault(NOT_RECORDED, where, error));
    }
  }
}
