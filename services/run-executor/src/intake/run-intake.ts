import { setTimeout as pause } from 'node:timers/promises';
import type { ConnectionId, RunCancel, RunControlState, RunId } from '@penstock/contracts';
import type { AcceptedRun, RunStore } from '../store/run-store';
import type { RunsReplica } from './runs-replica';

/** What taking runs over from the configuration depends on. */
export interface RunIntakeDependencies {
  readonly store: Pick<RunStore, 'accept' | 'requestCancel'>;
  readonly replica: Pick<RunsReplica, 'runVersion' | 'pipelineHead'>;
  /** Called when runs were queued. */
  readonly onQueued: () => void;
  /** Called when the cancel of a run is requested. */
  readonly onCancel: (run: RunId, cancel: RunCancel) => void;
  readonly onError: (error: unknown) => void;
}

const PAUSE_MS = 500;

interface Arrival {
  readonly run: AcceptedRun;
  readonly cancelled: RunCancel | null;
}

/**
 * Takes the live runs of the configuration over into the store, in their order; while that cannot be reached they wait here,
 * and a process that starts anew finds them in the configuration again.
 */
export class RunIntake {
  private readonly waiting: Arrival[] = [];
  private working: Promise<void> | undefined;
  private isStopped = false;

  constructor(private readonly deps: RunIntakeDependencies) {}

  /** Takes a state of the configuration. */
  take(state: RunControlState): void {
    const { live, id, workspace } = state;
    if (live === null || this.isStopped) return;
    const { cancelled, ...request } = live;
    const { replica, onCancel } = this.deps;
    const definition = replica.runVersion(id, live.pipelineVersion) ?? null;
    const connection = definition?.connection ?? replica.pipelineHead(id)?.connection;
    const run = {
      ...request,
      workspace,
      pipeline: id,
      connection: connection ?? ('' as ConnectionId),
      pipelineName: definition?.name ?? '',
      definition,
    };
    if (cancelled !== null) onCancel(live.run, cancelled);
    this.waiting.push({ run, cancelled });
    this.working ??= this.work().finally(() => (this.working = undefined));
  }

  /** Resolves when everything that was taken is in the store. */
  async flushed(): Promise<void> {
    await this.working;
  }

  /** Takes nothing more. */
  async stop(): Promise<void> {
    this.isStopped = true;
    await this.working;
  }

  private async work(): Promise<void> {
    for (let first = this.waiting[0]; first !== undefined && !this.isStopped;) {
      try {
        await this.store(first);
        this.waiting.shift();
        first = this.waiting[0];
      } catch (error) {
        this.deps.onError(error);
        await pause(PAUSE_MS);
      }
    }
  }

  private async store({ run, cancelled }: Arrival): Promise<void> {
    const { store, onQueued } = this.deps;
    await store.accept([run]);
    if (cancelled !== null) await store.requestCancel(run.run, cancelled);
    onQueued();
  }
}
