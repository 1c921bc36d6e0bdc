import type { ConfigurationReplica } from '@penstock/contracts';
import { unavailable } from '../http/http-refusal';
import { CatchUp } from './catch-up';
import { within } from './within';

/** Milliseconds that somebody waits at most until the replica is at the end of the configuration. */
const REACH_TIMEOUT_MS = 1_000;

/** How much of the configuration something was decided by. */
export interface Stamp {
  /** The position of the newest fact: what accepted events carry. */
  readonly seen: number;
  /** The offset in `configuration.state` behind everything that had been applied. */
  readonly end: number;
}

/** What brings the records of `configuration.state` into the replica. */
export interface ReplicaFeed {
  /** The offset behind the last record that was applied. */
  readonly end: number;
  /** Resolves whether everything has been applied that stood in the topic when this was called. Takes its time. */
  catchUp(): Promise<boolean>;
}

/** The replica of the configuration together with how far along the log it is. */
export class CurrentReplica {
  private readonly catchUp: CatchUp;
  /** Up to here everything was applied, although the last records before it were compacted away. */
  private provenEnd = 0;

  constructor(
    readonly replica: ConfigurationReplica,
    private readonly feed: ReplicaFeed,
  ) {
    this.catchUp = new CatchUp(() => feed.catchUp());
  }

  /** How far the replica is at this moment; whatever is looked up in the same turn was decided by it. */
  stamp(): Stamp {
    return { seen: this.replica.seen, end: Math.max(this.feed.end, this.provenEnd) };
  }

  /**
   * Resolves when the replica holds everything that was on the log at this call.
   *
   * @throws HttpRefusal ServiceUnavailable after `timeoutMs`, at most a second.
   */
  async toPresentEnd(timeoutMs = REACH_TIMEOUT_MS): Promise<void> {
    const boundMs = Math.min(timeoutMs, REACH_TIMEOUT_MS);
    if (boundMs <= 0 || !(await within(this.catchUp.toPresentEnd(), boundMs, false)))
      throw unavailable('the configuration cannot be read');
  }

  /**
   * Resolves when everything before the offset has been applied.
   *
   * @param end of the topic, as the log told it.
   * @throws HttpRefusal ServiceUnavailable as {@link toPresentEnd}.
   */
  async reach(end: number, timeoutMs: number): Promise<void> {
    if (this.stamp().end >= end) return;
    await this.toPresentEnd(timeoutMs);
    this.provenEnd = Math.max(this.provenEnd, end);
  }

  /**
   * Whether what was decided by the stamp is still what would be decided now.
   *
   * @throws HttpRefusal ServiceUnavailable as {@link toPresentEnd}.
   */
  async confirms({ end }: Stamp, timeoutMs: number): Promise<boolean> {
    await this.toPresentEnd(timeoutMs);
    return this.stamp().end === end;
  }
}
