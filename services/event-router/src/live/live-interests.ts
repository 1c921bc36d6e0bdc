import { type AnnouncedInterests, INTEREST_HOLDS_MS, type LiveInterest } from '@penstock/contracts';
import { WatchedEvents } from './watched-events';

/** Gateways whose announcements are remembered; of more, those that have announced last. */
const MAX_GATEWAYS = 256;

interface Announced {
  readonly untilMs: number;
  readonly interests: readonly LiveInterest[];
}

/** What is watched through all gateways, as they have announced it. */
export class LiveInterests {
  private readonly announced = new Map<string, Announced>();
  private watched: ReadonlyMap<string, WatchedEvents> = new Map();

  /** @param nowMs of the monotonic clock. */
  constructor(private readonly nowMs: () => number) {}

  /** Whether nobody watches anything. */
  get areNone(): boolean {
    return this.watched.size === 0;
  }

  /** What is watched of a workspace; undefined: nothing. */
  of(workspace: string): WatchedEvents | undefined {
    return this.watched.get(workspace);
  }

  /** Replaces what the gateway has announced before. It holds for {@link INTEREST_HOLDS_MS} from now on. */
  take({ gateway, interests }: AnnouncedInterests): void {
    this.announced.delete(gateway);
    if (interests.length > 0)
      this.announced.set(gateway, { untilMs: this.nowMs() + INTEREST_HOLDS_MS, interests });
    const [oldest] = this.announced.keys();
    if (this.announced.size > MAX_GATEWAYS && oldest !== undefined) this.announced.delete(oldest);
    this.gather();
  }

  /** Forgets announcements that do not hold any more. */
  expire(): void {
    const nowMs = this.nowMs();
    const over = [...this.announced].filter(([, { untilMs }]) => untilMs <= nowMs);
    if (over.length === 0) return;
    for (const [gateway] of over) this.announced.delete(gateway);
    this.gather();
  }

  private gather(): void {
    const lists = new Map<string, LiveInterest[]>();
    for (const { interests } of this.announced.values())
      for (const interest of interests) {
        const list = lists.get(interest.workspace) ?? [];
        lists.set(interest.workspace, list);
        list.push(interest);
      }
    this.watched = new Map([...lists].map(([id, list]) => [id, new WatchedEvents(list)]));
  }
}
