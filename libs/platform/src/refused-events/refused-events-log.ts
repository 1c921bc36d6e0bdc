import {
  type ConnectionId,
  instant,
  refusedSealContext,
  type RefusedEvent,
  type Sealed,
  suppressionId,
  TOPIC,
  type WorkspaceId,
  writeRefusedEvent,
} from '@penstock/contracts';
import type { MessageLog } from '@penstock/messaging';
import { newId } from '@penstock/runtime';
import { RefusedBudget } from './refused-budget';

/** Records are collected for so long. */
const COLLECT_MS = 100;
/** Interval at which the numbers of events that were left out are recorded. */
const LEFT_OUT_MS = 10_000;
const APPEND_MS = 2_000;
const MAX_WAITING = 1_000;
/** Sources and codes whose numbers are kept until they are recorded. */
const MAX_COUNTED = 3_000;
const MAX_MESSAGE_ID = 255;

const LEFT_OUT = 'these were not recorded one by one, since there were too many';

/** What is only looked up when the event is recorded. */
export interface RefusedDetails {
  /** The beginning of its JSON text. */
  readonly excerpt: string;
  readonly isCut: boolean;
  /** Its user, and the one that an alias names. */
  readonly userIds: readonly string[];
}

/** An event that was refused. */
export interface NewRefusedEvent extends Pick<
  RefusedEvent,
  'workspace' | 'source' | 'index' | 'messageId' | 'code' | 'path' | 'reason'
> {
  /** Default: a new one. */
  readonly id?: string;
  readonly details: () => RefusedDetails;
}

/** What recording needs. */
export interface RefusedEventsLogContext {
  readonly log: Pick<MessageLog, 'append'>;
  /** Seals an excerpt under the key of its workspace. @throws Error when the workspace has none any more. */
  readonly seal: (text: string, workspace: string, context: string) => Sealed;
  /** Keyed hash of a text, by which users are named. */
  readonly keyedHash: (text: string) => string;
  readonly onError: (error: unknown) => void;
  /** Monotonic milliseconds; default: those of the process. */
  readonly nowMs?: () => number;
}

interface LeftOut {
  readonly workspace: WorkspaceId;
  readonly source: ConnectionId;
  readonly code: RefusedEvent['code'];
  count: number;
}

/**
 * Records refused events on their topic: never waited for, in bounded memory, a bounded number in a minute. What is left
 * out is counted by source and code.
 */
export class RefusedEventsLog {
  private readonly budget: RefusedBudget;
  private readonly nowMs: () => number;
  private waiting: RefusedEvent[] = [];
  private readonly leftOut = new Map<string, LeftOut>();
  private leftOutMs: number;
  private sending: Promise<void> | undefined;
  private timer: NodeJS.Timeout | undefined;
  private dueMs = 0;
  private isClosed = false;

  constructor(private readonly context: RefusedEventsLogContext) {
    this.nowMs = context.nowMs ?? (() => performance.now());
    this.budget = new RefusedBudget(this.nowMs);
    this.leftOutMs = this.nowMs();
  }

  /** Records an event, or counts it. Never throws, never waits. */
  record(refused: NewRefusedEvent): void {
    if (this.isClosed) return;
    const isRoom = this.waiting.length < MAX_WAITING && this.budget.take(refused.source);
    if (isRoom) this.waiting.push(this.recordOf(refused));
    else this.leaveOut(refused, 1);
    this.wake(isRoom ? COLLECT_MS : LEFT_OUT_MS);
  }

  /** Records what waits, once, and nothing afterwards. */
  async close(): Promise<void> {
    this.isClosed = true;
    clearTimeout(this.timer);
    await this.sending;
    this.leftOutMs = -Infinity;
    await this.send();
  }

  private wake(afterMs: number): void {
    if (this.isClosed || this.sending !== undefined) return;
    const dueMs = this.nowMs() + afterMs;
    if (this.timer !== undefined && this.dueMs <= dueMs) return;
    clearTimeout(this.timer);
    this.dueMs = dueMs;
    this.timer = setTimeout(() => {
      this.timer = undefined;
      this.sending = this.send().finally(() => {
        this.sending = undefined;
        if (this.waiting.length > 0) this.wake(COLLECT_MS);
        else if (this.leftOut.size > 0) this.wake(LEFT_OUT_MS);
      });
    }, afterMs).unref();
  }

  private async send(): Promise<void> {
    this.recordLeftOut();
    const sent = this.waiting;
    this.waiting = [];
    if (sent.length === 0) return;
    const messages = sent.map((each) => ({ key: each.source, value: writeRefusedEvent(each) }));
    try {
      await this.context.log.append(TOPIC.refusedEvents, messages, { timeoutMs: APPEND_MS });
    } catch (error) {
      for (const each of sent) this.leaveOut(each, each.count);
      this.context.onError(error);
    }
  }

  private recordLeftOut(): void {
    if (this.leftOut.size === 0 || this.nowMs() - this.leftOutMs < LEFT_OUT_MS) return;
    this.leftOutMs = this.nowMs();
    for (const leftOut of this.leftOut.values())
      this.waiting.push({
        id: newId(),
        at: instant(new Date()),
        index: null,
        messageId: null,
        path: '',
        reason: LEFT_OUT,
        users: [],
        sealed: null,
        isCut: false,
        ...leftOut,
      });
    this.leftOut.clear();
  }

  private leaveOut(
    { workspace, source, code }: Pick<RefusedEvent, 'workspace' | 'source' | 'code'>,
    count: number,
  ): void {
    const key = `${source}/${code}`;
    const known = this.leftOut.get(key);
    if (known !== undefined) known.count += count;
    else if (this.leftOut.size < MAX_COUNTED)
      this.leftOut.set(key, { workspace, source, code, count });
  }

  private recordOf({ details, id = newId(), ...refused }: NewRefusedEvent): RefusedEvent {
    const { workspace, source, messageId } = refused;
    const { excerpt, isCut, userIds } = details();
    const { keyedHash } = this.context;
    return {
      ...refused,
      id,
      at: instant(new Date()),
      messageId: messageId?.slice(0, MAX_MESSAGE_ID) ?? null,
      users: userIds.map((userId) => suppressionId(keyedHash, workspace, userId)),
      sealed: this.sealed(excerpt, workspace, { source, id }),
      isCut,
      count: 1,
    };
  }

  /** `null`: the workspace has been deleted, and its key with it. */
  private sealed(
    excerpt: string,
    workspace: WorkspaceId,
    place: Pick<RefusedEvent, 'source' | 'id'>,
  ): Sealed | null {
    try {
      return this.context.seal(excerpt, workspace, refusedSealContext(place));
    } catch {
      return null;
    }
  }
}
