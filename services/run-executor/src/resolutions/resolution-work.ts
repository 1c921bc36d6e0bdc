import type { Sealed, WorkspaceId } from '@penstock/contracts';
import { LogUnavailable, type MessageLog } from '@penstock/messaging';
import type { Resolver } from '@penstock/warehouses';
import { Away } from '../engine/away';
import { LeaseLost } from '../engine/lease-lost';
import { backoffMs } from '../engine/patience';
import type { ExecutorOptions } from '../workers/executor-options';
import { failureText } from '../workers/failure-text';
import { Lease } from '../workers/lease';
import type { Work } from '../workers/workers';
import { publishProfileFacts } from './publish-profile-facts';
import type { ClaimedResolution, ResolutionEnding, ResolutionStore } from './resolution-store';
import type { ResolutionWarnings } from './resolution-warnings';
import type { Resolvers } from './resolvers';

/** What a resolution is performed with. */
export interface ResolutionWorkDependencies {
  readonly store: ResolutionStore;
  readonly resolvers: Pick<Resolvers, 'open' | 'fence'>;
  readonly log: Pick<MessageLog, 'append'>;
  readonly warnings: Pick<ResolutionWarnings, 'seal'>;
  /** Called when a resolution has ended here. */
  readonly onEnded: () => void;
  readonly options: ExecutorOptions;
  /** Called with what a resolution waits for, and with failures of our own. */
  readonly onError: (error: unknown) => void;
}

/** Whether a value is shared by too many shows only after so many were resolved; otherwise it is looked at once an hour. */
const MANY = 1_000;

/** The cancel of the resolution was requested. */
class Cancelled extends Error {}

/** The process stops. */
class Stopping extends Error {}

const CANCELLED: ResolutionEnding = { status: 'Cancelled', error: '', warnings: null };

/** How far a claim has come: `null`: others have their turn first. */
type Outcome = ResolutionEnding | null;

/** One claimed resolution, as this process performs it. Whatever fails, what was committed stays and another claim goes on. */
export class ResolutionWork implements Work<WorkspaceId> {
  private readonly control = new AbortController();
  private readonly connections = new AbortController();
  private readonly lease: Lease;
  private isPerforming = true;
  readonly done: Promise<void>;

  /** @param heldFromMs of `performance.now()`, before the claim was asked for. */
  constructor(
    readonly claimed: ClaimedResolution,
    private readonly deps: ResolutionWorkDependencies,
    heldFromMs: number,
  ) {
    const { store, options, onError } = deps;
    this.lease = new Lease(
      {
        ...options,
        renew: () => store.renew(claimed),
        onLost: (error) => {
          this.control.abort(error);
        },
        onError,
      },
      heldFromMs,
    );
    this.done = this.work()
      .catch((error: unknown) => {
        if (!(error instanceof LeaseLost)) onError(error);
      })
      .finally(() => {
        this.lease.stop();
        this.connections.abort(new Stopping());
      });
  }

  get key(): WorkspaceId {
    return this.claimed.workspace;
  }

  /** Ends it as cancelled. */
  cancel(): void {
    this.control.abort(new Cancelled('the resolution is cancelled'));
  }

  /** Drops the batch in progress and gives it back. */
  stop(): void {
    this.control.abort(new Stopping('the process stops'));
  }

  private async work(): Promise<void> {
    try {
      const outcome = await Promise.race([this.perform(), this.leftBehind()]);
      if (outcome === null) await this.deps.store.release(this.claimed);
      else await this.end(outcome);
    } catch (error) {
      await this.settle(this.control.signal.aborted ? this.control.signal.reason : error);
    }
  }

  private async settle(cause: unknown): Promise<void> {
    const { store } = this.deps;
    if (cause instanceof LeaseLost) return;
    if (cause instanceof Stopping) return store.release(this.claimed);
    if (cause instanceof Cancelled) {
      if (this.isPerforming) await this.fence();
      return this.end(CANCELLED);
    }
    return this.failed(cause);
  }

  /** Rejects some time after what is under way was to be given up: by then it should have ended by itself. */
  private leftBehind(): Promise<never> {
    const { signal } = this.control;
    return new Promise((_, reject) => {
      signal.addEventListener('abort', () => {
        setTimeout(() => {
          this.connections.abort(signal.reason);
          reject(new LeaseLost());
        }, this.deps.options.fenceMs).unref();
      });
    });
  }

  private async perform(): Promise<Outcome> {
    try {
      const opened = await this.deps.resolvers.open(this.claimed, this.connections.signal);
      try {
        return await this.resolveAll(opened.resolver);
      } finally {
        await opened.close();
      }
    } finally {
      this.isPerforming = false;
    }
  }

  private async resolveAll(resolver: Resolver): Promise<Outcome> {
    const { claimed, deps, control } = this;
    const { store, options } = deps;
    const untilMs = performance.now() + options.resolutionSliceMs;
    await this.publish(resolver);
    await this.takeApart(resolver);
    await store.found(claimed, await resolver.pending());
    for (let { identities } = claimed; ;) {
      const { isLast, ...counts } = await resolver.resolve(options.resolutionBatch, control.signal);
      await store.progress(claimed, counts);
      await this.publish(resolver);
      identities += counts.identities;
      if (isLast) return this.succeeded(resolver, identities);
      if (performance.now() > untilMs && (await store.hasWaiting())) return null;
    }
  }

  private async takeApart(resolver: Resolver): Promise<void> {
    if (!this.claimed.mustTakeApart) return;
    this.control.signal.throwIfAborted();
    await resolver.takeApart(this.control.signal);
    await this.deps.store.tookApart(this.claimed);
  }

  private async succeeded(resolver: Resolver, identities: number): Promise<ResolutionEnding> {
    const isDue = this.claimed.areWarningsDue || identities >= MANY;
    const warnings = isDue ? await this.warnings(resolver) : null;
    return { status: 'Succeeded', error: '', warnings };
  }

  /** Nothing but these depends on them: where they cannot be found, those that are known stay. */
  private async warnings(resolver: Resolver): Promise<Sealed | null> {
    const { warnings, onError } = this.deps;
    try {
      return warnings.seal(this.claimed.workspace, await resolver.sharedValues());
    } catch (error) {
      this.control.signal.throwIfAborted();
      onError(error);
      return null;
    }
  }

  private async publish(resolver: Resolver): Promise<void> {
    this.control.signal.throwIfAborted();
    try {
      await publishProfileFacts(this.deps.log, resolver, this.claimed.workspace);
    } catch (error) {
      if (!(error instanceof LogUnavailable)) throw error;
      throw new Away('facts of profiles cannot be published', undefined, { cause: error });
    }
  }

  /** Another claim tries again later, unless it has failed for too long. */
  private async failed(error: unknown): Promise<void> {
    const { claimed, deps } = this;
    const { store, options, onError } = deps;
    onError(error);
    if (claimed.troubleMs >= options.patienceMs)
      await this.end({ status: 'Failed', error: failureText(error), warnings: null });
    else await store.postpone(claimed, backoffMs(options, claimed.failures + 1));
  }

  private async end(ending: ResolutionEnding): Promise<void> {
    await this.deps.store.end(this.claimed, ending);
    this.deps.onEnded();
  }

  /** After this, no write of the resolution that may still be under way is accepted. */
  private async fence(): Promise<void> {
    const { resolvers, options, onError } = this.deps;
    await resolvers.fence(this.claimed, AbortSignal.timeout(options.fenceMs)).catch(onError);
  }
}
