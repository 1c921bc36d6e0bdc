import { NOTED_FOR_MS, resolutionSettingsOf, type WorkspaceId } from '@penstock/contracts';
import type { RunsReplica } from '../intake/runs-replica';
import type { ResolutionReports } from './ended-resolutions';
import type { PendingLooks } from './pending-looks';
import type { ResolutionStore } from './resolution-store';

/** What looking for identities in events depends on. */
export interface EventLooksDependencies extends Pick<ResolutionReports, 'triggerResolution'> {
  readonly store: Pick<
    ResolutionStore,
    'enrolLooks' | 'lookWithin' | 'dueLooks' | 'takeLook' | 'lookAgain'
  >;
  readonly replica: Pick<
    RunsReplica,
    'resolvedAfterEvents' | 'isWritable' | 'warehouse' | 'resolution' | 'workspaceEver'
  >;
  readonly looks: Pick<PendingLooks, 'look'>;
  readonly onError: (error: unknown) => void;
}

const SECOND_MS = 1_000;
const MINUTE_MS = 60 * SECOND_MS;
/** A warehouse is looked into about once in this time though no router has told of it: what it has told may be lost. */
const UNTOLD_MS = 60 * MINUTE_MS;
/** After a resolution was asked for, so that it is seen that it has left nothing. */
const ASKED_MS = MINUTE_MS;
/** A warehouse that could not be looked into is looked into again. */
const UNSEEN_MS = MINUTE_MS;
/** Longer than a look and what comes of it: then the process is lost that has taken it. */
const HELD_MS = MINUTE_MS;
/** A warehouse is looked into no more often, however short the delay is. */
const MIN_EVERY_MS = 5 * SECOND_MS;
/** Warehouses that this process looks into at a time: what is due beyond that is looked into later. */
const AT_ONCE = 16;

/** So many of a list, from any place on: where not all have their turn, each is as likely to have it. */
const someOf = <T>(items: readonly T[], count: number): readonly T[] => {
  const from = Math.floor(Math.random() * items.length);
  return [...items.slice(from), ...items.slice(0, from)].slice(0, count);
};

/** From three quarters to five quarters of a time, so that what was begun together is spread. */
const about = (ms: number): number => ms * (0.75 + Math.random() / 2);

/**
 * Asks for resolutions of identities that were written with events, some time after the first of them. Routers, which write
 * them, tell in which workspaces they have; whose delay has passed since is looked into, by one executor at a time, because
 * some may have been resolved meanwhile.
 */
export class EventLooks {
  private enrolled: ReadonlySet<WorkspaceId> = new Set();

  constructor(private readonly deps: EventLooksDependencies) {}

  /** Takes note of workspaces in which identities were written, and more may be without a notice. */
  async note(workspaces: readonly WorkspaceId[]): Promise<void> {
    const { store, replica } = this.deps;
    const looks = [...new Set(workspaces)].flatMap((workspace) => {
      if (replica.workspaceEver(workspace)?.deleted === true) return [];
      // One that is not known yet is looked into once it is.
      const state = replica.warehouse(workspace);
      const delay = state === undefined ? 0 : resolutionSettingsOf(state).eventDelay;
      return delay === null ? [] : [{ workspace, ms: NOTED_FOR_MS + delay * SECOND_MS }];
    });
    if (looks.length > 0) await store.lookWithin(looks);
  }

  /** Looks into some of the warehouses that are due. */
  async lookAll(): Promise<void> {
    const { store, onError } = this.deps;
    await this.enrol();
    const due = (await store.dueLooks()).flatMap((id) => this.wantedIn(id));
    await Promise.all(someOf(due, AT_ONCE).map((each) => this.lookInto(each).catch(onError)));
  }

  /** Has each workspace looked into that may have identities in events, whether a router tells of it or not. */
  private async enrol(): Promise<void> {
    const all = this.deps.replica.resolvedAfterEvents();
    const added = [...all].filter((id) => !this.enrolled.has(id));
    if (added.length > 0) await this.deps.store.enrolLooks(added, UNTOLD_MS);
    this.enrolled = all;
  }

  /** @returns nothing where no resolution is wanted after events, or one is under way already */
  private wantedIn(
    workspace: WorkspaceId,
  ): readonly { workspace: WorkspaceId; delayMs: number; version: number }[] {
    const { replica } = this.deps;
    const state = replica.warehouse(workspace);
    const delay = state === undefined ? null : resolutionSettingsOf(state).eventDelay;
    const { live = null, waiting = null, version = 0 } = replica.resolution(workspace) ?? {};
    const isUnderWay = live !== null || waiting !== null;
    if (delay === null || isUnderWay || !replica.isWritable(workspace)) return [];
    return [{ workspace, delayMs: delay * SECOND_MS, version }];
  }

  private async lookInto({
    workspace,
    delayMs,
    version,
  }: {
    readonly workspace: WorkspaceId;
    readonly delayMs: number;
    readonly version: number;
  }): Promise<void> {
    const { store, looks, triggerResolution } = this.deps;
    if (!(await store.takeLook(workspace, HELD_MS))) return;
    const found = await looks.look(workspace);
    const again = (ms: number): Promise<void> => store.lookAgain(workspace, ms, MIN_EVERY_MS);
    if (found === undefined) return again(UNSEEN_MS);
    const { waitingMs } = found;
    if (waitingMs === null) return again(about(UNTOLD_MS));
    if (waitingMs < delayMs) return again(delayMs - waitingMs);
    // What is asked for by what is known of resolutions is the same one, whoever asks and how often.
    const command = `after version ${String(version)} of resolutions of ${workspace}`;
    await triggerResolution(workspace, 'Events', false, command);
    await again(Math.max(ASKED_MS, delayMs));
  }
}
