import { type ChildProcess, spawn } from 'node:child_process';
import { constants, getPriority, setPriority } from 'node:os';
import { extname, join } from 'node:path';
import type { Readable, Writable } from 'node:stream';
import { frame, FrameReader } from './wire/frames';
import type { Answer, Batch, BatchEnd, BatchRequest, Cancellation, Reply } from './wire/messages';
import { packTexts } from './wire/packed-texts';
import { parseAnswers, parseReply } from './wire/parse-reply';

/** Several times the largest result that the sandbox forwards. */
const MAX_REPLY_BYTES = 16 * 1024 * 1024;

/** Limits of a sandbox process: number and memory of guests. */
export interface SandboxLimits {
  /** Memory limit of each guest. */
  readonly memoryLimitBytes: number;
  /** Memory that each guest may have at any time; beyond it guests take turns to grow. */
  readonly easyBytes: number;
  /** Memory limit of the process. */
  readonly capBytes: number;
  /** Memory for all guests and their threads. */
  readonly roomBytes: number;
  /** Memory of a thread besides that of its guest. */
  readonly threadBytes: number;
  /** Maximal number of kept instances, as far as memory allows. */
  readonly maxInstances: number;
  /** Batches that run concurrently. */
  readonly places: number;
  /** Maximal number of guests that may be larger than the easy size at the same time. */
  readonly growths: number;
  /** Idle guests of each used language. */
  readonly spares: number;
}

/** The process ended before the batch did; which batch ended it is unknown. */
export type ProcessLost = 'process lost';

interface UnderWay {
  readonly records: number;
  answers: number;
  readonly answer: (answer: Answer) => void;
  readonly end: (end: BatchEnd | ProcessLost) => void;
}

const permission = process.allowedNodeEnvironmentFlags.has('--permission')
  ? '--permission'
  : '--experimental-permission';

/**
 * Flags that forbid code generation from texts, child processes and file writes; reads are for the runtime's own
 * modules.
 */
const HARDENING = [
  '--disallow-code-generation-from-strings',
  '--disable-proto=throw',
  permission,
  '--allow-worker',
  '--allow-fs-read=*',
];

/** Tests run the sandbox from its TypeScript sources. */
const COMPILE =
  extname(__filename) === '.ts'
    ? ['--allow-addons', '--require', join(__dirname, 'register-swc.cjs')]
    : [];

/**
 * Lowers the priority, so that endless functions do not slow down the delivery of events. Threads inherit the priority
 * when they start: those that run the functions always do, the runtime's own threads only if they start after this
 * call. A still lower priority of the services is kept: without rights a process cannot raise it.
 */
const lowerPriority = ({ pid }: ChildProcess): void => {
  if (pid === undefined) return;
  try {
    setPriority(pid, Math.max(getPriority(), constants.priority.PRIORITY_BELOW_NORMAL));
  } catch (error) {
    // The process has ended already; its exit is handled elsewhere.
    if ((error as { info?: { code?: string } }).info?.code !== 'ESRCH') throw error;
  }
};

const launch = (limits: SandboxLimits): ChildProcess => {
  const child = spawn(
    process.execPath,
    [
      ...HARDENING,
      ...COMPILE,
      join(__dirname, 'sandbox', `main${extname(__filename)}`),
      JSON.stringify(limits),
    ],
    { cwd: '/', env: {}, stdio: ['pipe', 'pipe', 'ignore'] },
  );
  lowerPriority(child);
  return child;
};

/** The operating-system process that runs functions. It has no access to the service except through this channel. */
export class SandboxProcess {
  private readonly child: ChildProcess;
  private readonly input: Writable | null;
  private readonly reader = new FrameReader(MAX_REPLY_BYTES);
  private readonly underWay = new Map<number, UnderWay>();
  private readonly gone: Promise<void>;
  private lastId = 0;
  lost = false;
  /** Whether the process has reported that an engine has started. */
  started = false;

  constructor(limits: SandboxLimits) {
    this.child = launch(limits);
    this.input = this.child.stdin;
    this.input?.on('error', () => this.lose());
    const output: Readable | null = this.child.stdout;
    output?.on('data', (chunk: Buffer) => this.onOutput(chunk));
    this.gone = new Promise((resolve) => {
      const end = () => {
        this.lose();
        resolve();
      };
      this.child.once('exit', end);
      this.child.once('error', end);
    });
  }

  get pid(): number | undefined {
    return this.child.pid;
  }

  get idle(): boolean {
    return this.underWay.size === 0;
  }

  /**
   * @param records JSON texts.
   * @param answer is called in the order of the records; the promise resolves with the end of the batch.
   * @param signal ends the instance.
   */
  async run(
    batch: Batch,
    records: readonly string[],
    answer: (answer: Answer) => void,
    signal?: AbortSignal,
  ): Promise<BatchEnd | ProcessLost> {
    if (this.lost) return 'process lost';
    signal?.throwIfAborted();
    const id = (this.lastId += 1);
    const cancel = (): void => {
      this.input?.write(frame({ cancelled: id } satisfies Cancellation));
    };
    signal?.addEventListener('abort', cancel, { once: true });
    try {
      return await new Promise((end) => {
        this.underWay.set(id, { records: records.length, answers: 0, answer, end });
        this.input?.write(frame({ id, ...batch } satisfies BatchRequest, packTexts(records)));
      });
    } finally {
      signal?.removeEventListener('abort', cancel);
    }
  }

  async close(): Promise<void> {
    this.lose();
    await this.gone;
  }

  private onOutput(chunk: Buffer): void {
    if (this.lost) return;
    try {
      for (const { head, body } of this.reader.push(chunk)) this.onReply(parseReply(head), body);
    } catch {
      this.lose();
    }
  }

  private onReply(reply: Reply, body: Uint8Array): void {
    if (reply.kind === 'ready') {
      this.started = true;
      return;
    }
    const batch = this.underWay.get(reply.id);
    if (!batch) return this.lose();
    if (reply.kind === 'end') {
      const complete = reply.cause ?? reply.refusal ?? batch.answers === batch.records;
      if (complete === false) return this.lose();
      this.underWay.delete(reply.id);
      return batch.end(reply);
    }
    const answers = parseAnswers(body);
    batch.answers += answers.length;
    if (batch.answers > batch.records) return this.lose();
    answers.forEach(batch.answer);
  }

  private lose(): void {
    this.lost = true;
    this.child.kill('SIGKILL');
    for (const { end } of this.underWay.values()) end('process lost');
    this.underWay.clear();
  }
}
