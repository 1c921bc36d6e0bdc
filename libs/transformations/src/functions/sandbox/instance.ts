import type { GuestSizes } from '../guest/allowance';
import type { Report } from '../guest/report';
import type { BatchEnd, BatchRequest, Cause, Refusal, Reply } from '../wire/messages';
import { GuestThread } from './guest-thread';
import type { LanguageModules } from './language-modules';
import { TimeLimit } from './time-limit';

/** Interval at which answers of a slow batch are sent: those since the last time are lost with the process. */
const SEND_ANSWERS_MS = 10;

/** The body contains the packed answers of a reply that has some. */
export type SendReply = (reply: Reply, body?: Uint8Array) => void;

interface UnderWay {
  readonly request: BatchRequest;
  readonly records: Uint8Array;
  readonly reply: SendReply;
  readonly finish: () => void;
  limit?: TimeLimit<'growth' | 'congestion'>;
  sending?: NodeJS.Timeout;
}

/** Callbacks of an instance. */
export interface InstanceLife {
  readonly onReady: () => void;
  /** Called when the engine fails to start, which no function has caused. */
  readonly onStillborn: () => void;
  /** Called when the guest waits for permission to grow: see {@link Instance.grow}. */
  readonly onGrowth: (instance: Instance, workspace: string) => void;
  /**
   * Whether the reader of answers is far behind: answers are then kept here, and the guest waits once there are too
   * many.
   */
  readonly isCongested: () => boolean;
}

/** A thread with one guest, for one program and one batch at a time. It cannot be reused after it has ended. */
export class Instance {
  private readonly thread: GuestThread;
  private readonly ending = new AbortController();
  private ready = false;
  private loaded = false;
  private refusal: Refusal | undefined;
  private underWay: UnderWay | undefined;

  constructor(
    modules: LanguageModules,
    sizes: GuestSizes,
    private readonly life: InstanceLife,
  ) {
    this.thread = new GuestThread(modules, sizes, {
      onReport: (report) => this.onReport(report),
      onEnd: (cause) => this.end(cause),
    });
  }

  get busy(): boolean {
    return this.underWay !== undefined;
  }

  /** Aborted when the instance begins to end. */
  get ended(): AbortSignal {
    return this.ending.signal;
  }

  /** Resolves when the thread has ended. */
  get gone(): Promise<void> {
    return this.thread.gone;
  }

  /** Whether it may use more than the easy size. */
  get hasGrown(): boolean {
    return this.thread.allowance.isGranted;
  }

  /** Bytes of the guest's memory. */
  get bytes(): number {
    return this.thread.allowance.bytes;
  }

  /** Runs a batch of packed records; resolves when its end was sent. */
  run(request: BatchRequest, records: Uint8Array, reply: SendReply): Promise<void> {
    return new Promise((finish) => {
      this.underWay = { request, records, reply, finish };
      if (this.ready) this.begin(this.underWay);
    });
  }

  /** Lets the guest grow up to its limit, and resumes its time limit. */
  grow(): void {
    this.thread.allowance.grant();
    this.underWay?.limit?.resume('growth');
  }

  /** Ends the instance, and with it the batch in progress. */
  close(): void {
    this.stop('ended');
  }

  private begin(underWay: UnderWay): void {
    const { request } = underWay;
    underWay.limit = new TimeLimit(request.timeLimitMs, () => this.endOverdue(underWay));
    if (this.refusal) return this.sendEnd({ refusal: this.refusal });
    if (!this.loaded) this.thread.post({ kind: 'load', program: request.program });
    else this.call(underWay);
  }

  private call(underWay: UnderWay): void {
    this.thread.journal.begin();
    underWay.sending = setInterval(() => this.sendOnTime(underWay), SEND_ANSWERS_MS);
    const records = new Uint8Array(underWay.records);
    this.thread.post({ kind: 'call', records }, [records.buffer]);
  }

  /** Sends answers; while the reader is behind, the time limit of the guest is paused. */
  private sendOnTime(underWay: UnderWay): void {
    if (this.life.isCongested()) return underWay.limit?.pause('congestion');
    underWay.limit?.resume('congestion');
    this.sendAnswers(underWay);
  }

  private sendAnswers({ request: { id }, reply }: UnderWay): void {
    for (const answers of this.thread.journal.take()) reply({ id, kind: 'answers' }, answers);
  }

  /** Ends the batch by time, unless a report of its end has arrived that this busy thread has not yet handled. */
  private endOverdue(underWay: UnderWay): void {
    setImmediate(() => {
      if (this.underWay === underWay) this.end('time');
    });
  }

  private onReport(report: Report): void {
    const { underWay } = this;
    switch (report.kind) {
      case 'ready':
        this.ready = true;
        this.life.onReady();
        if (underWay) this.begin(underWay);
        return;
      case 'growth':
        underWay?.limit?.pause('growth');
        return this.life.onGrowth(this, underWay?.request.workspace ?? '');
      case 'loaded':
        return this.afterLoading(underWay, report.refusal);
      case 'finished':
        return this.sendEnd({ console: report.console });
      case 'broken':
        return this.end(report.cause);
      case 'journal':
        return this.thread.journal.goOn(report.memory);
    }
  }

  private afterLoading(underWay: UnderWay | undefined, refusal: Refusal | undefined): void {
    this.loaded = true;
    this.refusal = refusal;
    if (!underWay) return;
    if (refusal) this.sendEnd({ refusal });
    else this.call(underWay);
  }

  private end(cause: Cause): void {
    if (this.ended.aborted) return;
    if (this.ready) this.stop(cause);
    else this.life.onStillborn();
  }

  /** Sends the end only after the thread has ended and its memory is free. */
  private stop(cause: Cause): void {
    if (this.ended.aborted) return;
    this.ending.abort();
    const loading = !this.loaded;
    void this.thread.terminate().then(() => this.sendEnd({ cause, loading }));
  }

  private sendEnd(end: Omit<BatchEnd, 'kind' | 'console'> & { console?: string }): void {
    const { underWay } = this;
    if (!underWay) return;
    this.underWay = undefined;
    underWay.limit?.stop();
    clearInterval(underWay.sending);
    this.sendAnswers(underWay);
    underWay.reply({ id: underWay.request.id, kind: 'end', console: '', ...end });
    underWay.finish();
  }
}
