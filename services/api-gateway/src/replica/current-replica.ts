import type { ConfigurationReplica } from '@penstock/contracts';
import { unavailable } from '../http/http-refusal';
import { CatchUp } from './catch-up';
import { within } from './within';

/** Milliseconds that a caller waits at most for the replica to reach the end of the configuration. */
const REACH_TIMEOUT_MS = 1_000;

/** The state of the replica that a decision is based on. */
export interface Stamp {
  /** Position of the newest fact, which accepted events are stamped with. */
  readonly seen: number;
  /** Offset in `configuration.state` after the last applied record. */
  readonly end: number;
}

/** Applies the records of `configuration.state` to the replica. */
export interface ReplicaFeed {
  /** Offset after the last applied record. */
  readonly end: number;
  /** Resolves to whether everything has been applied that was in the topic at this call. Has no time-out. */
  catchUp(): Promise<boolean>;
}

/** The replica of the configuration, with its progress on the log. */
export class CurrentReplica {
  private readonly catchUp: CatchUp;
  /**
   * Everything before this offset is known to be applied, although the last records before it may be compacted away.
   */
  private provenEnd = 0;

  constructor(
    readonly replica: ConfigurationReplica,
    private readonly feed: ReplicaFeed,
  ) {
    this.catchUp = new CatchUp(() => feed.catchUp());
  }

  /** Returns the progress of the replica. A look-up in the same turn of the event loop is based on it. */
  stamp(): Stamp {
    return { seen: this.replica.seen, end: Math.max(this.feed.end, this.provenEnd) };
  }

  /**
   * Resolves when the replica has applied everything that was on the log at this call.
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
   * @param end of the topic, as reported by the log.
   * @throws HttpRefusal ServiceUnavailable as {@link toPresentEnd}.
   */
  async reach(end: number, timeoutMs: number): Promise<void> {
    if (this.stamp().end >= end) return;
    await this.toPresentEnd(timeoutMs);
    this.provenEnd = Math.max(this.provenEnd, end);
  }

  /**
   * Checks whether a stamp still describes the newest configuration.
   *
   * @throws HttpRefusal ServiceUnavailable as {@link toPresentEnd}.
   */
  async confirms({ end }: Stamp, timeoutMs: number): Promise<boolean> {
    await this.toPresentEnd(timeoutMs);
    return this.stamp().end === end;
  }
}
