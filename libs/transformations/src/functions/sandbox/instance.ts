import { extname, join } from 'node:path';
import { MessageChannel, type MessagePort, Worker } from 'node:worker_threads';
import type { BatchRequest, Cause, Refusal, Reply } from '../wire/messages';
import type { Job } from './inbox';
import type { LanguageModules } from './language-modules';
import type { Report } from './report';
import type { ThreadData } from './thread';

const THREAD = join(__dirname, `thread${extname(__filename)}`);
const HEAP_MIB = 96;
/** Native frames of WebAssembly need more than the default 4 when a guest recurses. */
const STACK_MIB = 16;

interface UnderWay {
  readonly request: BatchRequest;
  readonly reply: (reply: Reply) => void;
  readonly finish: () => void;
  timer: NodeJS.Timeout | undefined;
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
    const data: ThreadData = { modules, memoryLimitBytes, jobs: port2, signal: this.signal };
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

  /** Runs a batch; resolves when its end was told. */
  run(request: BatchRequest, reply: (reply: Reply) => void): Promise<void> {
    return new Promise((finish) => {
      this.underWay = { request, reply, finish, timer: undefined };
      if (this.ready) this.begin(this.underWay);
    });
  }

  close(): void {
    this.ended = true;
    void this.worker.terminate();
  }

  private begin(underWay: UnderWay): void {
    const { request } = underWay;
    underWay.timer = setTimeout(() => this.afterHearing(underWay), request.timeLimitMs);
    if (this.refusal) return this.tellEnd({ refusal: this.refusal });
    if (!this.loaded) this.post({ kind: 'load', program: request.program });
    else this.post({ kind: 'call', records: request.records });
  }

  /** Answers that have arrived count, although this thread was too busy to take them in time. */
  private afterHearing(underWay: UnderWay): void {
    setImmediate(() => {
      if (this.underWay === underWay) this.end('time');
    });
  }

  private post(job: Job): void {
    this.jobs.postMessage(job);
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
      default:
        return underWay.reply({ id: underWay.request.id, ...report });
    }
  }

  private afterLoading({ request }: UnderWay, refusal: Refusal | undefined): void {
    this.loaded = true;
    this.refusal = refusal;
    if (refusal) return this.tellEnd({ refusal });
    this.post({ kind: 'call', records: request.records });
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
    clearTimeout(underWay.timer);
    underWay.reply({ id: underWay.request.id, kind: 'end', console: '', ...end });
    underWay.finish();
  }
}
