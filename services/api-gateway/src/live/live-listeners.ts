import type { WorkspaceId } from '@penstock/contracts';
import type { Caller } from '../auth/caller';
import { HttpRefusal, retryAfter, unavailable } from '../http/http-refusal';
import { LiveAudience } from './live-audience';
import type { LiveListener } from './live-listener';
import { watchKey } from './watch';

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
  private readonly entries = new Set<Entry>();
  private readonly audiences = new Map<WorkspaceId, Map<string, LiveAudience>>();
  private taken = 0;

  /** @param maxOfWorkspace how many may watch one workspace. */
  constructor(private readonly maxOfWorkspace: number) {}

  [Symbol.iterator](): Iterator<Entry> {
    return this.entries.values();
  }

  /** Whether nobody watches, or is about to. */
  get areNone(): boolean {
    return this.taken === 0;
  }

  /** Whether somebody watches the workspace. */
  has(workspace: WorkspaceId): boolean {
    return this.audiences.has(workspace);
  }

  /** Those who watch the workspace, by what they watch of it. */
  of(workspace: WorkspaceId): Iterable<LiveAudience> {
    return this.audiences.get(workspace)?.values() ?? [];
  }

  /** What is watched, each once. */
  *watched(): Iterable<LiveAudience['watch']> {
    for (const audiences of this.audiences.values())
      for (const { watch } of audiences.values()) yield watch;
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
    const entry = { caller, listener };
    this.entries.add(entry);
    this.audienceOf(listener).listeners.add(listener);
    return () => {
      this.entries.delete(entry);
      this.leave(listener);
    };
  }

  private audienceOf({ watch }: LiveListener): LiveAudience {
    const audiences = this.audiences.get(watch.workspace) ?? new Map<string, LiveAudience>();
    this.audiences.set(watch.workspace, audiences);
    const key = watchKey(watch);
    const audience = audiences.get(key) ?? new LiveAudience(watch);
    audiences.set(key, audience);
    return audience;
  }

  private leave(listener: LiveListener): void {
    const { workspace } = listener.watch;
    const audiences = this.audiences.get(workspace);
    const key = watchKey(listener.watch);
    const audience = audiences?.get(key);
    if (audiences === undefined || audience?.listeners.delete(listener) !== true) return;
    if (audience.listeners.size === 0) audiences.delete(key);
    if (audiences.size === 0) this.audiences.delete(workspace);
  }
}

const tooMany = (most: number): HttpRefusal =>
  new HttpRefusal('TooManyRequests', {
    because: `${String(most)} clients watch this workspace through this gateway, which is the most`,
    headers: retryAfter(),
  });
