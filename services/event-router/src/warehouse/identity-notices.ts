import { NOTED_FOR_MS, type WorkspaceId } from '@penstock/contracts';
import type { Clock } from '../time/clock';
import { within } from '../time/within';

/** What telling of identities depends on. */
export interface IdentityNoticesContext {
  readonly clock: Clock;
  /** Tells the executors of workspaces. Rejects when there is no answer. */
  readonly tell: (workspaces: readonly WorkspaceId[]) => Promise<void>;
  readonly onError: (error: unknown) => void;
}

/** For others to be told of at once. What is written is lost to executors when the process is, so long. */
const GATHER_MS = 50;
/** Between requests, while there is more to be told. */
const AGAIN_MS = 500;
/** Workspaces that are told of at once. */
const AT_ONCE = 1_000;
/** Workspaces of which it is remembered that they are to be told of. Executors look by themselves where one was forgotten. */
const MAX_UNTOLD = 10_000;
/** Longest time that `stop` waits for an answer. */
const STOP_MS = 2_000;

/**
 * Tells executors in which workspaces this router has written identities, so that they look only there whether some are to
 * be resolved. A notice holds for some time, in which what is written needs none. One may be lost with the process; none is
 * sent where nothing was written.
 */
export class IdentityNotices {
  private readonly untold = new Set<WorkspaceId>();
  /** When each was told of, or it was tried; the longest ago comes first. */
  private readonly toldMs = new Map<WorkspaceId, number>();
  private telling: Promise<void> | undefined;
  private cancel: (() => void) | undefined;
  private isStopped = false;

  constructor(private readonly context: IdentityNoticesContext) {}

  /** Identities were written. */
  note(workspace: WorkspaceId): void {
    if (this.isTold(workspace) || this.untold.size >= MAX_UNTOLD) return;
    this.untold.add(workspace);
    this.tellLater(GATHER_MS);
  }

  /** Tells what was not told. Resolves after `STOP_MS` at the latest. */
  async stop(): Promise<void> {
    this.isStopped = true;
    this.cancel?.();
    const told = this.tellAll();
    // Executors may stop as well.
    await within(this.context.clock, STOP_MS, told).catch(() => undefined);
  }

  private isTold(workspace: WorkspaceId): boolean {
    const ms = this.toldMs.get(workspace);
    return ms !== undefined && this.context.clock.nowMs() < ms + NOTED_FOR_MS;
  }

  private tellLater(delayMs: number): void {
    if (this.isStopped || this.cancel !== undefined || this.telling !== undefined) return;
    this.cancel = this.context.clock.after(delayMs, () => {
      this.cancel = undefined;
      this.telling = this.tellDue()
        .catch(this.context.onError)
        .finally(() => {
          this.telling = undefined;
          if (this.untold.size > 0) this.tellLater(AGAIN_MS);
        });
    });
  }

  private tellDue(): Promise<void> {
    for (const workspace of this.toldMs.keys())
      if (!this.isTold(workspace)) this.toldMs.delete(workspace);
    const due = [...this.untold].filter((workspace) => !this.toldMs.has(workspace));
    return this.tell(due.slice(0, AT_ONCE));
  }

  private async tellAll(): Promise<void> {
    await this.telling;
    while (this.untold.size > 0) await this.tell([...this.untold].slice(0, AT_ONCE));
  }

  /** Also what is not answered is not tried again before its time. */
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
      for (const workspace of workspaces.slice(0, MAX_UNTOLD - this.untold.size))
        this.untold.add(workspace);
      throw error;
    }
  }
}
