import { extname, join } from 'node:path';
import { MessageChannel, type MessagePort, Worker } from 'node:worker_threads';
import type { BatchRequest, Cause, Refusal, Reply } from '../wire/messages';
import type { Job } from './inbox';
import { JournalReader, newJournalMemory } from './journal';
import type { LanguageModules } from './language-modules';
import type { Report } from './report';
import type { ThreadData } from './thread';

const THREAD = join(__dirname, `thread${extname(__filename)}`);
const HEAP_MIB = 96;
/** Native frames of WebAssembly need more than the default 4 when a guest recurses. */
const STACK_MIB = 16;
/** Answers of a slow batch are handed on so often: as many are lost when the process is. */
const TELL_ANSWERS_MS = 10;

/** The body holds the answers, packed, of a reply that has some. */
export type SendReply = (reply: Reply, body?: Uint8Array) => void;

interface UnderWay {
  readonly request: BatchRequest;
  readonly records: Uint8Array;
  readonly reply: SendReply;
  readonly finish: () => void;
  limit?: NodeJS.Timeout;
  telling?: NodeJS.Timeout;
}

export interface InstanceLife {
  readonly onReady: () => void;
  /** The engine does not start, whatever the program: nobody's function is to blame. */
  readonly onStillborn: () => void;
}

/** A thread with one guest in it, for one program and one batch at a time. Once it ends it is no use any more. */
export class Instance {
  private readonly worker: Worker;
  private readonly jobs: MessagePort;
  private readonly signal = new Int32Array(new SharedArrayBuffer(4));
  private readonly journal: JournalReader;
  private ready = false;
  private loaded = false;
  private refusal: Refusal | undefined;
  private underWay: UnderWay | undefined;
  ended = false;

  constructor(
    modules: LanguageModules,
    memoryLimitBytes: number,
    private readonly life: InstanceLife,
  ) {
    const { port1, port2 } = new MessageChannel();
    this.jobs = port1;
    const journal = newJournalMemory();
    this.journal = new JournalReader(journal);
    const { signal } = this;
    const data: ThreadData = { modules, memoryLimitBytes, jobs: port2, signal, journal };
    this.worker = new Worker(THREAD, {
      workerData: data,
      transferList: [port2],
      env: {},
      stdin: false,
      stdout: true,
      stderr: true,
      resourceLimits: { maxOldGenerationSizeMb: HEAP_MIB, stackSizeMb: STACK_MIB },
    });
    this.worker.on('message', (report: Report) => this.hear(report));
    this.worker.on('error', (error: NodeJS.ErrnoException) =>
      this.end(error.code === 'ERR_WORKER_OUT_OF_MEMORY' ? 'memory' : 'ended'),
    );
    this.worker.on('exit', () => this.end('ended'));
  }

  get busy(): boolean {
    return this.underWay !== undefined;
  }

  /** Runs a batch of packed records; resolves when its end was told. */
  run(request: BatchRequest, records: Uint8Array, reply: SendReply): Promise<void> {
    return new Promise((finish) => {
      this.underWay = { request, records, reply, finish };
      if (this.ready) this.begin(this.underWay);
    });
  }

  close(): void {
    this.ended = true;
    void this.worker.terminate();
  }

  private begin(underWay: UnderWay): void {
    const { request } = underWay;
    underWay.limit = setTimeout(() => this.afterHearing(underWay), request.timeLimitMs);
    if (this.refusal) return this.tellEnd({ refusal: this.refusal });
    if (!this.loaded) this.post({ kind: 'load', program: request.program });
    else this.call(underWay);
  }

  private call(underWay: UnderWay): void {
    this.journal.begin();
    underWay.telling = setInterval(() => this.tellAnswers(underWay), TELL_ANSWERS_MS);
    const records = new Uint8Array(underWay.records);
    this.post({ kind: 'call', records }, [records.buffer]);
  }

  private tellAnswers({ request: { id }, reply }: UnderWay): void {
    for (const answers of this.journal.take()) reply({ id, kind: 'answers' }, answers);
  }

  /** An end that has arrived counts, although this thread was too busy to take it in time. */
  private afterHearing(underWay: UnderWay): void {
    setImmediate(() => {
      if (this.underWay === underWay) this.end('time');
    });
  }

  private post(job: Job, transferred: readonly ArrayBuffer[] = []): void {
    this.jobs.postMessage(job, transferred);
    Atomics.add(this.signal, 0, 1);
    Atomics.notify(this.signal, 0);
  }

  private hear(report: Report): void {
    const { underWay } = this;
    if (report.kind === 'ready') {
      this.ready = true;
      this.life.onReady();
      if (underWay) this.begin(underWay);
      return;
    }
    if (!underWay) return;
    switch (report.kind) {
      case 'loaded':
        return this.afterLoading(underWay, report.refusal);
      case 'finished':
        return this.tellEnd({ console: report.console });
      case 'broken':
        return this.end(report.cause);
      case 'journal':
        return this.journal.goOn(report.memory);
    }
  }

  private afterLoading(underWay: UnderWay, refusal: Refusal | undefined): void {
    this.loaded = true;
    this.refusal = refusal;
    if (refusal) return this.tellEnd({ refusal });
    this.call(underWay);
  }

  private end(cause: Cause): void {
    if (this.ended) return;
    if (!this.ready) return this.life.onStillborn();
    this.close();
    this.tellEnd({ cause, loading: !this.loaded });
  }

  private tellEnd(end: {
    cause?: Cause;
    loading?: boolean;
    refusal?: Refusal;
    console?: string;
  }): void {
    const { underWay } = this;
    if (!underWay) return;
    this.underWay = undefined;
    clearTimeout(underWay.limit);
    clearInterval(underWay.telling);
    this.tellAnswers(underWay);
    underWay.reply({ id: underWay.request.id, kind: 'end', console: '', ...end });
    underWay.finish();
  }
}
