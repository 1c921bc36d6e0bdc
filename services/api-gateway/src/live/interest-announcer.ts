import { INTEREST_HOLDS_MS, type LiveInterest, TOPIC, writeInterests } from '@penstock/contracts';
import type { MessageLog } from '@penstock/messaging';
import { newId } from '@penstock/runtime';

/** Announcements are repeated so often that two may be lost. */
const REPEAT_MS = INTEREST_HOLDS_MS / 3;
const APPEND_MS = 2_000;

export interface InterestAnnouncerContext {
  readonly log: Pick<MessageLog, 'append'>;
  /** What is watched through this gateway now. */
  readonly interests: () => readonly LiveInterest[];
  readonly onError: (error: unknown) => void;
}

const keyOf = ({ workspace, connection, pipeline }: LiveInterest): string =>
  `${workspace}/${connection ?? ''}/${pipeline ?? ''}`;

/** Tells the routers what is watched through this gateway: at once when that changes, and again while it lasts. */
export class InterestAnnouncer {
  private readonly gateway = newId();
  private timer: NodeJS.Timeout | undefined;
  private announcing: Promise<void> | undefined;
  private hasChanged = false;
  /** Whether something was announced that was not taken back. */
  private isWatching = false;

  constructor(private readonly context: InterestAnnouncerContext) {}

  /** Call it when somebody begins or ceases to watch. */
  changed(): void {
    this.hasChanged = true;
    this.announcing ??= this.announce();
  }

  /** Call it when nobody watches any more. Resolves when that is announced, or could not be. */
  async close(): Promise<void> {
    await this.announcing;
  }

  private async announce(): Promise<void> {
    clearTimeout(this.timer);
    while (this.hasChanged) {
      this.hasChanged = false;
      await this.append();
    }
    this.announcing = undefined;
    if (this.context.interests().length === 0) return;
    this.timer = setTimeout(() => {
      this.changed();
    }, REPEAT_MS).unref();
  }

  private async append(): Promise<void> {
    const { gateway } = this;
    const wanted = this.context.interests();
    if (wanted.length === 0 && !this.isWatching) return;
    this.isWatching = wanted.length > 0;
    const interests = new Map(wanted.map((each) => [keyOf(each), each]));
    const value = writeInterests({ gateway, interests: [...interests.values()] });
    await this.context.log
      .append(TOPIC.liveInterest, [{ key: gateway, value }], { timeoutMs: APPEND_MS })
      .catch((error: unknown) => {
        this.context.onError(error);
      });
  }
}
