import type { WorkspaceId } from '@penstock/contracts';
import type { Clock } from '../time/clock';
import { within } from '../time/within';

/** What telling of identities depends on. */
export interface IdentityNoticesContext {
  readonly clock: Clock;
  /** Tells the executors of workspaces. Rejects when there is no answer. */
  readonly tell: (workspaces: readonly WorkspaceId[]) => Promise<void>;
  readonly onError: (error: unknown) => void;
}

/** Executors are told of a workspace no more often, also when they do not answer. */
const EVERY_MS = 5_000;
/** For others to be told of at once. */
const GATHER_MS = 1_000;
/** Workspaces that are told of at once. */
const AT_ONCE = 1_000;
/** Workspaces of which it is remembered that they are to be told of. Executors look by themselves where one was forgotten. */
const MAX_UNTOLD = 10_000;
/** Longest time that `stop` waits for an answer. */
const STOP_MS = 2_000;

/**
 * Tells executors in which workspaces this router has written identities, so that they look only there whether some are to
 * be resolved. A notice may be lost with the process; none is sent of what was not written.
 */
export class IdentityNotices {
  private readonly untold = new Set<WorkspaceId>();
  /** When each was told of, for {@link EVERY_MS}; the longest ago comes first. */
  private readonly toldMs = new Map<WorkspaceId, number>();
  private telling: Promise<void> | undefined;
  private cancel: (() => void) | undefined;
  private isStopped = false;

  constructor(private readonly context: IdentityNoticesContext) {}

  /** Identities were written. Costs nothing where that is known. */
  note(workspace: WorkspaceId): void {
    if (this.untold.size >= MAX_UNTOLD) return;
    this.untold.add(workspace);
    this.tellLater();
  }

  /** Tells what was not told. Resolves after `STOP_MS` at the latest. */
  async stop(): Promise<void> {
    this.isStopped = true;
    this.cancel?.();
    const told = this.tellAll();
    await within(this.context.clock, STOP_MS, told).catch(this.context.onError);
  }

  private tellLater(): void {
    if (this.isStopped || this.cancel !== undefined || this.telling !== undefined) return;
    this.cancel = this.context.clock.after(GATHER_MS, () => {
      this.cancel = undefined;
      this.telling = this.tellDue()
        .catch(this.context.onError)
        .finally(() => {
          this.telling = undefined;
          if (this.untold.size > 0) this.tellLater();
        });
    });
  }

  private tellDue(): Promise<void> {
    const nowMs = this.context.clock.nowMs();
    for (const [workspace, ms] of this.toldMs)
      if (ms + EVERY_MS <= nowMs) this.toldMs.delete(workspace);
    const due = [...this.untold].filter((workspace) => !this.toldMs.has(workspace));
    return this.tell(due.slice(0, AT_ONCE));
  }

  private async tellAll(): Promise<void> {
    await this.telling;
    while (this.untold.size > 0) await this.tell([...this.untold].slice(0, AT_ONCE));
  }

  /** What is written while executors are told of it is told of again. */
  private async tell(workspaces: readonly WorkspaceId[]): Promise<void> {
    if (workspaces.length === 0) return;
    const nowMs = this.context.clock.nowMs();
    for (const workspace of workspaces) {
      this.untold.delete(workspace);
      this.toldMs.delete(workspace);
      this.toldMs.set(workspace, nowMs);
    }
    try {
      await this.context.tell(workspaces);
    } catch (error) {
      for (const workspace of workspaces) this.note(workspace);
      throw error;
    }
  }
}
