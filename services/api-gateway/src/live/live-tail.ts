import {
  type ConfigurationReplica,
  type LiveInterest,
  TOPIC,
  type WorkspaceId,
} from '@penstock/contracts';
import type { LogRecord, MessageLog } from '@penstock/messaging';
import type { Seals } from '@penstock/runtime';
import type { Caller } from '../auth/caller';
import { CallerGone } from '../http/caller-gone';
import { type HttpRefusal, unavailable } from '../http/http-refusal';
import { InterestAnnouncer } from './interest-announcer';
import { LiveFeed } from './live-feed';
import { LiveListener, type LiveSink } from './live-listener';
import { LiveListeners } from './live-listeners';
import { LivePast } from './live-past';
import type { LiveSample } from './live-sample';
import { mayStillWatch } from './may-still-watch';
import { readSample } from './read-sample';
import type { Watch } from './watch';

const CHECK_MS = 1_000;
const HEARTBEAT_MS = 15_000;

export interface LiveTailContext {
  readonly log: Pick<MessageLog, 'append' | 'endOffsets' | 'follow' | 'read'>;
  readonly replica: ConfigurationReplica;
  readonly seals: Pick<Seals, 'open'>;
  /** Clients of one workspace that may watch at a time. */
  readonly maxListeners: number;
  /** Interval at which it is checked who may still watch; default a second. */
  readonly checkMs?: number;
  readonly onError: (what: string, error: unknown) => void;
}

/** Who begins to watch. */
export interface NewListener {
  readonly caller: Caller;
  readonly watch: Watch;
  /** Id of the last sample that the client has seen; undefined: it begins now. */
  readonly after: number | undefined;
  /** Called before the first sample is shown. */
  readonly onBegin: () => Promise<void>;
}

/** Shows live events to everybody who watches through this gateway. */
export class LiveTail {
  private readonly listeners: LiveListeners;
  private readonly announcer: InterestAnnouncer;
  private readonly feed: LiveFeed;
  private readonly past: LivePast;
  private isClosed = false;
  private timers: readonly NodeJS.Timeout[] = [];

  constructor(private readonly context: LiveTailContext) {
    const { log, seals, maxListeners, onError } = context;
    this.listeners = new LiveListeners(maxListeners);
    this.past = new LivePast(log, seals);
    this.feed = new LiveFeed({
      log,
      onRecords: (records) => {
        this.show(records);
      },
      onEnded: (cause) => {
        onError('reading live events from the log has ended; their streams are ended', cause);
        this.endAll();
      },
    });
    this.announcer = new InterestAnnouncer({
      log,
      interests: () => this.interests(),
      onError: (error) => {
        onError('what is watched of the live events cannot be announced; trying again', error);
      },
    });
  }

  /**
   * Shows what is watched until the client is gone, may not watch any more, or the gateway stops.
   *
   * @param open writes the head of the answer. @returns where the stream is written to.
   * @param gone fires when the client is gone.
   * @throws HttpRefusal TooManyRequests, ServiceUnavailable; and whatever `onBegin` rejects with.
   */
  async watch(
    { caller, watch, after, onBegin }: NewListener,
    open: () => LiveSink,
    gone: AbortSignal,
  ): Promise<void> {
    const leave = this.enter(watch.workspace);
    gone.addEventListener('abort', leave);
    try {
      await onBegin();
      await this.feed.open().catch((error: unknown) => {
        throw unavailable('the log cannot be reached', error);
      });
      const [end = 0] = await this.context.log.endOffsets(TOPIC.live);
      if (gone.aborted) throw new CallerGone('the caller has gone');
      if (this.isClosed) throw stopping();
      const listener = new LiveListener(watch, open());
      const remove = this.listeners.add(caller, listener);
      gone.addEventListener('abort', () => {
        remove();
        this.changed();
      });
      this.changed();
      if (after !== undefined) await this.past.recall(listener, after, end);
      listener.begin(end);
    } catch (error) {
      leave();
      this.changed();
      throw error;
    }
  }

  /** Ends all streams at once, and begins none. Resolves when nothing is read any more. */
  async close(): Promise<void> {
    this.isClosed = true;
    this.endAll();
    await Promise.all([this.announcer.close(), this.feed.close()]);
  }

  /** @returns a function that frees the place. */
  private enter(workspace: WorkspaceId): () => void {
    if (this.isClosed) throw stopping();
    return this.listeners.enter(workspace);
  }

  private show(records: readonly LogRecord[]): void {
    const samples = new Map<WorkspaceId, LiveSample[]>();
    for (const record of records) {
      const sample = readSample(record, this.context.seals, (id) => this.listeners.has(id));
      if (sample === undefined) continue;
      const { workspace } = sample.record;
      const others = samples.get(workspace);
      if (others === undefined) samples.set(workspace, [sample]);
      else others.push(sample);
    }
    for (const [workspace, list] of samples)
      for (const audience of this.listeners.of(workspace)) audience.take(list);
  }

  private interests(): readonly LiveInterest[] {
    return [...this.listeners.watched()].map(({ workspace, connection, pipeline }) => ({
      workspace,
      connection,
      pipeline,
    }));
  }

  private changed(): void {
    this.announcer.changed();
    if (this.listeners.areNone) {
      for (const timer of this.timers) clearInterval(timer);
      this.timers = [];
      void this.feed.close();
    } else if (this.timers.length === 0)
      this.timers = [
        setInterval(() => {
          this.endForbidden();
        }, this.context.checkMs ?? CHECK_MS),
        setInterval(() => {
          for (const { listener } of this.listeners) listener.beat();
        }, HEARTBEAT_MS),
      ];
  }

  private endForbidden(): void {
    for (const { caller, listener } of this.listeners)
      if (!mayStillWatch(this.context.replica, caller)) listener.end();
  }

  private endAll(): void {
    for (const { listener } of this.listeners) listener.end();
  }
}

const stopping = (): HttpRefusal => unavailable('the gateway is stopping');
