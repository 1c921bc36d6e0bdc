import { resolutionSettingsOf, type WorkspaceId } from '@penstock/contracts';
import type { RunsReplica } from '../intake/runs-replica';
import { Postponements } from '../workers/postponements';
import type { ResolutionReports } from './ended-resolutions';
import type { PendingLooks } from './pending-looks';
import type { ResolutionStore } from './resolution-store';

/** What looking for identities in events depends on. */
export interface EventLooksDependencies extends Pick<ResolutionReports, 'triggerResolution'> {
  readonly store: Pick<ResolutionStore, 'takeLook' | 'lookAgain'>;
  readonly replica: Pick<RunsReplica, 'resolvedAfterEvents' | 'warehouse' | 'resolution'>;
  readonly looks: Pick<PendingLooks, 'look'>;
  readonly onError: (error: unknown) => void;
}

const SECOND_MS = 1_000;
/** A warehouse is looked into no more often, however short the delay is. */
const MIN_EVERY_MS = 5 * SECOND_MS;
/** A warehouse that could not be looked into is looked into again after a minute at most. */
const UNSEEN_MS = 60 * SECOND_MS;
/** Looks in one delay: so much of it may a resolution be late. */
const LOOKS_OF_DELAY = 4;
/** Warehouses that this process looks into at a time: what is due beyond that is looked into later. */
const AT_ONCE = 16;

/** So many of a list, from any place on: where not all have their turn, each is as likely to have it. */
const someOf = <T>(items: readonly T[], count: number): readonly T[] => {
  const from = Math.floor(Math.random() * items.length);
  return [...items.slice(from), ...items.slice(0, from)].slice(0, count);
};

/**
 * Asks for resolutions of identities that were written with events, some time after the first of them. Routers, which write
 * them, do not know when one was resolved: so the warehouses of workspaces that take identities from events are looked
 * into, by one executor at a time each, and by few looks, since a look that finds some knows when they are due.
 */
export class EventLooks {
  private readonly postponed = new Postponements<WorkspaceId>();

  constructor(private readonly deps: EventLooksDependencies) {}

  /** Looks into some of the warehouses that are due. */
  async lookAll(): Promise<void> {
    const { replica, onError } = this.deps;
    const postponed = new Set(this.postponed.list());
    const due = [...replica.resolvedAfterEvents()]
      .filter((id) => !postponed.has(id))
      .flatMap((id) => this.dueOf(id));
    await Promise.all(someOf(due, AT_ONCE).map((each) => this.lookInto(each).catch(onError)));
  }

  /** @returns nothing where no resolution is wanted after events, or one is under way already */
  private dueOf(workspace: WorkspaceId): readonly { workspace: WorkspaceId; delayMs: number }[] {
    const { replica } = this.deps;
    const state = replica.warehouse(workspace);
    const delay = state === undefined ? null : resolutionSettingsOf(state).eventDelay;
    const { live = null, waiting = null } = replica.resolution(workspace) ?? {};
    if (delay === null || live !== null || waiting !== null) return [];
    return [{ workspace, delayMs: delay * SECOND_MS }];
  }

  private async lookInto({
    workspace,
    delayMs,
  }: {
    readonly workspace: WorkspaceId;
    readonly delayMs: number;
  }): Promise<void> {
    const { store, looks, triggerResolution } = this.deps;
    const everyMs = Math.max(MIN_EVERY_MS, delayMs / LOOKS_OF_DELAY);
    this.postponed.postpone(workspace, everyMs);
    if (!(await store.takeLook(workspace, everyMs))) return;
    const found = await looks.look(workspace);
    if (found === undefined) return this.again(workspace, Math.min(everyMs, UNSEEN_MS));
    const { waitingMs } = found;
    if (waitingMs === null) return;
    if (waitingMs >= delayMs) return triggerResolution(workspace, 'Events', false);
    await this.again(workspace, delayMs - waitingMs);
  }

  private async again(workspace: WorkspaceId, ms: number): Promise<void> {
    this.postponed.postpone(workspace, ms);
    await this.deps.store.lookAgain(workspace, ms);
  }
}
