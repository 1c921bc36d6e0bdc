import { mkdtempSync, rmSync } from 'node:fs';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { freeze } from '../harness/freeze';
import type { ServiceProcess } from '../harness/service-process';
import { SeveralRouters } from '../harness/several-routers';

const MANY = '32';

/** A gateway, a pipeline service and any number of run executors, over Kafka or over the log in PostgreSQL. */
export class SeveralExecutors {
  private readonly executors: ServiceProcess[] = [];
  private readonly thaws = new Map<ServiceProcess, () => void>();

  private constructor(
    readonly several: SeveralRouters,
    /** Where the connector of file storage on this machine reads. */
    readonly root: string,
  ) {}

  /** Starts it without an executor. @param batchRecords size of the batches of runs. */
  static async start(brokers: 0 | 1, batchRecords: number): Promise<SeveralExecutors> {
    const root = mkdtempSync(join(tmpdir(), 'penstock-run-faults-'));
    const env = {
      PENSTOCK_FILES_ROOT: root,
      PENSTOCK_RUN_BATCH_RECORDS: String(batchRecords),
      PENSTOCK_RUNS_PER_PROCESS: MANY,
      PENSTOCK_RUNS_PER_WORKSPACE: MANY,
    };
    const several = await SeveralRouters.start({ gateways: 1, routers: 0, brokers, env });
    return new SeveralExecutors(several, root);
  }

  /** In the order in which they were started first. */
  get all(): readonly ServiceProcess[] {
    return this.executors;
  }

  /** Starts another executor. */
  async add(): Promise<ServiceProcess> {
    const executor = await this.several.makeSpare('run-executor');
    this.executors.push(executor);
    await executor.start();
    return executor;
  }

  /** Stops an executor in the middle of whatever it does. */
  freeze(executor: ServiceProcess): void {
    if (executor.pid === undefined) throw new Error('the executor does not run');
    this.thaws.set(executor, freeze(executor.pid));
  }

  /** Lets a frozen executor go on. */
  thaw(executor: ServiceProcess): void {
    this.thaws.get(executor)?.();
    this.thaws.delete(executor);
  }

  /** What the executors have written, for a spec that has failed. */
  get outputTail(): string {
    return this.executors.map((executor) => executor.outputTail).join('');
  }

  async destroy(): Promise<void> {
    for (const executor of [...this.thaws.keys()]) this.thaw(executor);
    await this.several.destroy();
    rmSync(this.root, { recursive: true, force: true });
  }
}
