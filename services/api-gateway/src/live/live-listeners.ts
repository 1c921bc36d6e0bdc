import type { WorkspaceId } from '@penstock/contracts';
import type { Caller } from '../auth/caller';
import { HttpRefusal, retryAfter, unavailable } from '../http/http-refusal';
import type { LiveListener } from './live-listener';

/** Clients that may watch through one gateway at a time: each may have 128 KiB of unsent samples. */
export const MAX_LISTENERS = 500;

/** Clients that may watch one workspace through one gateway at a time, by default. */
export const LIVE_LISTENERS = 20;

interface Entry {
  readonly caller: Caller;
  readonly listener: LiveListener;
}

/** Who watches through this gateway. */
export class LiveListeners implements Iterable<Entry> {
  private readonly places = new Map<WorkspaceId, number>();
  private readonly entries = new Map<WorkspaceId, Set<Entry>>();
  private taken = 0;

  /** @param maxOfWorkspace how many may watch one workspace. */
  constructor(private readonly maxOfWorkspace: number) {}

  *[Symbol.iterator](): Iterator<Entry> {
    for (const entries of this.entries.values()) yield* entries;
  }

  /** Whether nobody watches, or is about to. */
  get areNone(): boolean {
    return this.taken === 0;
  }

  /** Whether somebody watches the workspace. */
  has(workspace: WorkspaceId): boolean {
    return this.entries.has(workspace);
  }

  /** Those who watch the workspace. */
  *of(workspace: WorkspaceId): Iterable<LiveListener> {
    for (const { listener } of this.entries.get(workspace) ?? []) yield listener;
  }

  /**
   * Takes a place.
   *
   * @returns a function that frees it, once.
   * @throws HttpRefusal TooManyRequests when the workspace has none left, ServiceUnavailable when the gateway has none.
   */
  enter(workspace: WorkspaceId): () => void {
    const taken = this.places.get(workspace) ?? 0;
    if (taken >= this.maxOfWorkspace) throw tooMany(this.maxOfWorkspace);
    if (this.taken >= MAX_LISTENERS) throw unavailable('too many clients watch live events');
    this.places.set(workspace, taken + 1);
    this.taken += 1;
    let isFree = false;
    return () => {
      if (isFree) return;
      isFree = true;
      this.taken -= 1;
      const rest = (this.places.get(workspace) ?? 1) - 1;
      if (rest > 0) this.places.set(workspace, rest);
      else this.places.delete(workspace);
    };
  }

  /** @returns a function that removes the listener. */
  add(caller: Caller, listener: LiveListener): () => void {
    const { workspace } = listener.watch;
    const entry = { caller, listener };
    const entries = this.entries.get(workspace) ?? new Set<Entry>();
    this.entries.set(workspace, entries.add(entry));
    return () => {
      entries.delete(entry);
      if (entries.size === 0 && this.entries.get(workspace) === entries)
        this.entries.delete(workspace);
    };
  }
}

const tooMany = (most: number): HttpRefusal =>
  new HttpRefusal('TooManyRequests', {
    because: `${String(most)} clients watch this workspace through this gateway, which is the most`,
    headers: retryAfter(),
  });
