import type { LogRecord, MessageLog, Subscription } from '../message-log';
import { KeyedWork } from './keyed-work';
import { parseRequest, type RequestMessage, WITHDRAWAL } from './message-format';

/** Maximal number of requests of one partition that are accepted and not finished. */
const MAX_UNFINISHED = 500;
/** The least time between two commits of a partition: a crash repeats what was handled in it. */
const COMMIT_EVERY_MS = 100;

/** Requests that cannot be handled now are reported this often at most: there may be many. */
const REPORT_EVERY_MS = 10_000;

/** A request on its way to a handler. */
export interface TakenRequest {
  readonly key: string;
  readonly offset: number;
  readonly record: LogRecord;
  /** Undefined: the record holds none. */
  readonly request: RequestMessage | undefined;
  /** Fires when the one who has sent it does not wait for the answer any more. */
  readonly withdrawal: AbortController;
}

export interface RequestReaderOptions {
  readonly log: MessageLog;
  readonly topic: string;
  readonly group: string;
  /** Keys of one partition at work at the same time. */
  readonly concurrency: number;
  /** Handles a request. A rejection means: again, after a pause. */
  readonly handle: (taken: TakenRequest) => Promise<void>;
  /** Called with the id of a withdrawn request, which may be under way apart from its key. */
  readonly onWithdrawn: (id: string) => void;
  readonly onFault: (what: string, error: unknown) => void;
}

/**
 * Reads the requests of one topic as a member of a group and has them handled: those of a key in order, no key held up
 * by another. The group's position of a partition moves behind what was handled without a gap.
 */
export class RequestReader {
  private readonly work = new Map<number, KeyedWork<TakenRequest>>();
  private readonly moved = new Set<number>();
  private subscription: Promise<Subscription> | undefined;
  private committing: Promise<void> | undefined;
  private commitTimer: NodeJS.Timeout | undefined;
  private reportedMs = -Infinity;

  constructor(private readonly options: RequestReaderOptions) {}

  /** @throws LogUnavailable, or an Error when the topic is missing. */
  async start(): Promise<void> {
    const { log, topic, group, onFault } = this.options;
    this.subscription = log.subscribe({
      topic,
      group,
      onAssigned: (partitions) => {
        for (const partition of partitions) this.work.set(partition, this.newWork(partition));
        return Promise.resolve(new Map<number, number>());
      },
      onRevoked: (partitions) => this.leave(partitions),
      onBatch: (partition, records, leaving) => this.take(partition, records, leaving),
    });
    const { ended } = await this.subscription;
    void ended.then((cause) => {
      if (cause) onFault(`the log no longer delivers ${topic}`, cause);
    });
  }

  /** Resolves when the requests at work have been handled. */
  async stop(): Promise<void> {
    const subscription = await this.subscription?.catch(() => undefined);
    await subscription?.stop();
    clearTimeout(this.commitTimer);
    await this.committing;
  }

  private newWork(partition: number): KeyedWork<TakenRequest> {
    const { concurrency, handle } = this.options;
    return new KeyedWork({
      concurrency,
      maxUnfinished: MAX_UNFINISHED,
      handle,
      onFault: (error) => {
        this.report(error);
      },
      onMoved: () => {
        this.moved.add(partition);
        this.commitSoon();
      },
    });
  }

  private async take(
    partition: number,
    records: readonly LogRecord[],
    leaving: AbortSignal,
  ): Promise<void> {
    const taken = records.map((record): TakenRequest => {
      const { key, offset } = record;
      const request = parseRequest(record.value);
      return { key, offset, record, request, withdrawal: new AbortController() };
    });
    const work = this.work.get(partition);
    if (work === undefined) throw new Error(`partition ${partition} was not assigned`);
    const room = work.take(taken, leaving);
    for (const { offset, request } of taken)
      if (request?.pattern === WITHDRAWAL && request.id !== undefined)
        this.withdraw(work, request.id, offset);
    await room;
  }

  private report(error: unknown): void {
    const nowMs = performance.now();
    if (nowMs - this.reportedMs < REPORT_EVERY_MS) return;
    this.reportedMs = nowMs;
    this.options.onFault('requests cannot be handled now and are tried again', error);
  }

  /** Requests of the id that were sent before. */
  private withdraw(work: KeyedWork<TakenRequest>, id: string, before: number): void {
    for (const { request, offset, withdrawal } of work)
      if (request?.id === id && offset < before) withdrawal.abort();
    this.options.onWithdrawn(id);
  }

  private async leave(partitions: readonly number[]): Promise<void> {
    const leaving = partitions.flatMap((partition) => this.work.get(partition) ?? []);
    await Promise.all(leaving.map((work) => work.leave()));
    await this.committing;
    await this.commit(partitions);
    for (const partition of partitions) this.work.delete(partition);
  }

  private commitSoon(): void {
    this.commitTimer ??= setTimeout(() => {
      this.committing = this.commit([...this.moved]).finally(() => {
        this.commitTimer = undefined;
        if (this.moved.size > 0) this.commitSoon();
      });
    }, COMMIT_EVERY_MS);
  }

  /** A commit that fails is repeated with the next. */
  private async commit(partitions: readonly number[]): Promise<void> {
    const subscription = await this.subscription;
    await Promise.all(
      partitions.map(async (partition) => {
        const position = this.work.get(partition)?.position;
        if (!this.moved.delete(partition) || position === undefined) return;
        await subscription?.commit(partition, position).catch((error: unknown) => {
          this.options.onFault(`the position of partition ${partition} was not committed`, error);
          if (this.work.has(partition)) this.moved.add(partition);
        });
      }),
    );
  }
}
