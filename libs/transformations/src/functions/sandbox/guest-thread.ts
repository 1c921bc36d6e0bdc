import { extname, join } from 'node:path';
import { MessageChannel, type MessagePort, Worker } from 'node:worker_threads';
import { AllowanceGiver, type GuestSizes, newAllowanceMemory } from '../guest/allowance';
import type { Job } from '../guest/inbox';
import { JournalReader, newJournalMemory } from '../guest/journal';
import type { Report } from '../guest/report';
import type { Cause } from '../wire/messages';
import type { LanguageModules } from './language-modules';
import type { ThreadData } from './thread';

const THREAD = join(__dirname, `thread${extname(__filename)}`);
/**
 * Heap for what lies between guest and journal, a few results. A small young generation frees short-lived values soon.
 */
const HEAP_MIB = 48;
const YOUNG_MIB = 4;
/** Native frames of WebAssembly need more than the default of 4 when a guest recurses. */
const STACK_MIB = 16;

/** Receives the reports of a thread. */
export interface ThreadListener {
  readonly onReport: (report: Report) => void;
  /** Called when the thread has ended by itself. */
  readonly onEnd: (cause: Cause) => void;
}

/** A thread with one guest, and its channels. */
export class GuestThread {
  readonly journal: JournalReader;
  readonly allowance: AllowanceGiver;
  /** Resolves when the thread has ended and its memory is free. */
  readonly gone: Promise<void>;
  private readonly worker: Worker;
  private readonly jobs: MessagePort;
  private readonly signal = new Int32Array(new SharedArrayBuffer(4));

  constructor(modules: LanguageModules, sizes: GuestSizes, { onReport, onEnd }: ThreadListener) {
    const { port1, port2 } = new MessageChannel();
    this.jobs = port1;
    const [journal, allowance] = [newJournalMemory(), newAllowanceMemory()];
    this.journal = new JournalReader(journal);
    this.allowance = new AllowanceGiver(allowance);
    const { signal } = this;
    const data: ThreadData = { modules, sizes, jobs: port2, signal, journal, allowance };
    this.worker = new Worker(THREAD, {
      workerData: data,
      transferList: [port2],
      env: {},
      stdin: false,
      stdout: true,
      stderr: true,
      resourceLimits: {
        maxOldGenerationSizeMb: HEAP_MIB,
        maxYoungGenerationSizeMb: YOUNG_MIB,
        stackSizeMb: STACK_MIB,
      },
    });
    this.worker.on('message', onReport);
    this.worker.on('error', (error: NodeJS.ErrnoException) =>
      onEnd(error.code === 'ERR_WORKER_OUT_OF_MEMORY' ? 'memory' : 'ended'),
    );
    this.gone = new Promise((resolve) =>
      this.worker.on('exit', () => {
        resolve();
        onEnd('ended');
      }),
    );
  }

  /** @param transferred buffers of the job, which must not be used afterwards. */
  post(job: Job, transferred: readonly ArrayBuffer[] = []): void {
    this.jobs.postMessage(job, transferred);
    Atomics.add(this.signal, 0, 1);
    Atomics.notify(this.signal, 0);
  }

  /** Resolves when the thread has ended, whatever it was doing. */
  async terminate(): Promise<void> {
    await this.worker.terminate();
    await this.gone;
  }
}
