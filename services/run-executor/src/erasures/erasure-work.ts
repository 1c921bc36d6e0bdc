import {
  type ConfigurationReplica,
  type ConnectorType,
  type ErasureId,
  anonymousSuppressionId,
  suppressionId,
  type SuppressionId,
  type WorkspaceId,
} from '@penstock/contracts';
import {
  type ErasedRecord,
  type Eraser,
  MAX_ERASED,
  type WarehouseWriter,
} from '@penstock/warehouses';
import { LeaseLost } from '../engine/lease-lost';
import { backoffMs } from '../engine/patience';
import type { ExecutorOptions } from '../workers/executor-options';
import { failureText } from '../workers/failure-text';
import { Lease } from '../workers/lease';
import type { RunWriters } from '../workers/run-writers';
import type { Work } from '../workers/workers';
import type { ClaimedErasure, ErasureStore } from './erasure-store';

/** What an erasure is performed with. */
export interface ErasureWorkDependencies {
  readonly store: Pick<
    ErasureStore,
    'renew' | 'release' | 'postpone' | 'eraseSamples' | 'progress' | 'end'
  >;
  readonly writers: Pick<RunWriters, 'within'>;
  readonly replica: Pick<ConfigurationReplica, 'connectionEver'>;
  readonly keyedHash: (text: string) => string;
  /** Has users suppressed, so that routers erase what they hold of them. Rejects when there is no answer. */
  readonly suppressErased: (
    workspace: WorkspaceId,
    users: readonly SuppressionId[],
  ) => Promise<void>;
  /** Called when an erasure has ended here. */
  readonly onEnded: () => void;
  readonly options: ExecutorOptions;
  /** Called with what an erasure waits for, and with failures of our own. */
  readonly onError: (error: unknown) => void;
}

/** Users that are suppressed at a time. */
const SUPPRESSED_AT_ONCE = 100;

/** Connections whose record ids are those of users in events. */
const OF_EVENTS: readonly (ConnectorType | undefined)[] = ['SDK', 'Webhook'];

const TOO_MANY = `the profile has more than ${String(MAX_ERASED)} identities: it is no person, but a mistake of the identifiers`;

const keyOf = ({ connection, anonymous, recordId }: ErasedRecord): string =>
  JSON.stringify([connection, anonymous, recordId]);

/** The process stops, or the warehouse may not be written any more. */
class Stopping extends Error {}

/** One claimed erasure, as this process performs it. Whatever fails, what was committed stays and another claim goes on. */
export class ErasureWork implements Work<ErasureId> {
  private readonly control = new AbortController();
  private readonly lease: Lease;
  readonly done: Promise<void>;

  /** @param heldFromMs of `performance.now()`, before the claim was asked for. */
  constructor(
    readonly claimed: ClaimedErasure,
    private readonly deps: ErasureWorkDependencies,
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
      });
  }

  get key(): ErasureId {
    return this.claimed.erasure;
  }

  /** Drops the piece in progress and gives it back. */
  stop(): void {
    this.control.abort(new Stopping('the erasure is given back'));
  }

  private async work(): Promise<void> {
    const { store, writers, onEnded } = this.deps;
    const { signal } = this.control;
    try {
      const ending = await writers.within(this.claimed.workspace, signal, (writer) =>
        this.perform(writer),
      );
      signal.throwIfAborted();
      if (ending === undefined) return await store.release(this.claimed);
      await store.end(this.claimed, ending);
      onEnded();
    } catch (error) {
      await this.settle(signal.aborted ? signal.reason : error);
    }
  }

  private async settle(cause: unknown): Promise<void> {
    const { store, options, onError } = this.deps;
    if (cause instanceof LeaseLost) return;
    if (cause instanceof Stopping) return store.release(this.claimed);
    onError(cause);
    // It is never given up: somebody has a right to it.
    const ms = backoffMs(options, this.claimed.failures + 1);
    await store.postpone(this.claimed, ms, failureText(cause));
  }

  /** @returns why the person cannot be erased; `''`: it is done; undefined: others have their turn first */
  private async perform(writer: WarehouseWriter): Promise<string | undefined> {
    const { erasure: id, epoch, profile } = this.claimed;
    const eraser = await writer.beginErasure({ role: 'erasure', epoch }, { id, profile });
    if (!(await eraser.take(this.control.signal))) return TOO_MANY;
    return this.eraseAll(eraser);
  }

  private async eraseAll(eraser: Eraser): Promise<string | undefined> {
    const { store, options } = this.deps;
    const untilMs = performance.now() + options.resolutionSliceMs;
    // The events of one record may take many pieces.
    const erasedElsewhere = new Set<string>();
    for (;;) {
      const next = await eraser.next();
      await this.eraseElsewhere(next.filter((each) => !erasedElsewhere.has(keyOf(each))));
      for (const each of next) erasedElsewhere.add(keyOf(each));
      const { counts, isLast } = await eraser.eraseEvents(this.control.signal);
      await store.progress(this.claimed, counts);
      if (isLast) return '';
      if (performance.now() > untilMs) return undefined;
    }
  }

  /** What others than the warehouse hold of the records: afterwards nothing tells which they were. */
  private async eraseElsewhere(records: readonly ErasedRecord[]): Promise<void> {
    const { store, suppressErased } = this.deps;
    const { workspace } = this.claimed;
    const ids = records.filter((each) => this.isOfEvents(each)).map((each) => this.idOf(each));
    for (let at = 0; at < ids.length; at += SUPPRESSED_AT_ONCE) {
      this.control.signal.throwIfAborted();
      await suppressErased(workspace, ids.slice(at, at + SUPPRESSED_AT_ONCE));
    }
    await store.eraseSamples(this.claimed, records);
  }

  /** A record id of another source may be the user id of somebody else. */
  private isOfEvents({ connection }: ErasedRecord): boolean {
    const state = this.deps.replica.connectionEver(connection);
    return OF_EVENTS.includes(state?.connectorType);
  }

  private idOf({ connection, anonymous, recordId }: ErasedRecord): SuppressionId {
    const { keyedHash } = this.deps;
    const { workspace } = this.claimed;
    return anonymous
      ? anonymousSuppressionId(keyedHash, workspace, connection, recordId)
      : suppressionId(keyedHash, workspace, recordId);
  }
}
