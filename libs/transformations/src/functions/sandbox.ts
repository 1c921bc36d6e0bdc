import { setTimeout as wait } from 'node:timers/promises';
import { SandboxUnavailable } from './function-errors';
import { type ProcessLost, type SandboxLimits, SandboxProcess } from './sandbox-process';
import { Turns } from './turns';
import type { Answer, Batch, BatchEnd } from './wire/messages';

/** A process that could not even answer one batch this often in a row is not going to. */
const MAX_STARTS = 5;
const FIRST_DELAY_MS = 100;

/**
 * Runs batches in one process; those of one instance after each other, those of others side by side. When the
 * process is lost, each batch that was under way goes on in a process of its own: one that is lost there as well
 * is to blame.
 */
export class Sandbox {
  private shared: SandboxProcess | undefined;
  private readonly apart = new Set<SandboxProcess>();
  private readonly turns: Turns;
  private readonly queues = new Map<string, Turns>();
  private closed = false;

  constructor(private readonly limits: SandboxLimits) {
    this.turns = new Turns(limits.maxInstances);
  }

  /**
   * Runs a batch once.
   *
   * @param records JSON texts.
   * @param answer is called in the order of the records.
   * @throws SandboxUnavailable
   */
  async attempt(
    batch: Batch,
    records: readonly string[],
    answer: (answer: Answer) => void,
  ): Promise<BatchEnd> {
    const queue = this.queues.get(batch.instance) ?? new Turns(1);
    this.queues.set(batch.instance, queue);
    try {
      return await queue.take(() => this.turns.take(() => this.inTurn(batch, records, answer)));
    } finally {
      if (queue.unused) this.queues.delete(batch.instance);
    }
  }

  async close(): Promise<void> {
    this.closed = true;
    const processes = [...this.apart, ...(this.shared ? [this.shared] : [])];
    await Promise.all(processes.map((process) => process.close()));
  }

  private async inTurn(
    batch: Batch,
    records: readonly string[],
    answer: (answer: Answer) => void,
  ): Promise<BatchEnd> {
    let answered = 0;
    const counted = (one: Answer): void => {
      answered += 1;
      answer(one);
    };
    const end = await this.sharedProcess().run(batch, records, counted);
    return end === 'process lost'
      ? this.inProcessApart(batch, records.slice(answered), answer)
      : end;
  }

  private sharedProcess(): SandboxProcess {
    this.refuseWhenClosed();
    if (!this.shared || this.shared.lost) this.shared = new SandboxProcess(this.limits);
    return this.shared;
  }

  private async inProcessApart(
    batch: Batch,
    records: readonly string[],
    answer: (answer: Answer) => void,
  ): Promise<BatchEnd> {
    for (let starts = 0; starts < MAX_STARTS; starts += 1) {
      await wait(FIRST_DELAY_MS * 2 ** starts);
      this.refuseWhenClosed();
      const process = new SandboxProcess({ ...this.limits, maxInstances: 1, spares: 0 });
      this.apart.add(process);
      try {
        const end = await oneByOne(process, batch, records, answer);
        if (end !== 'process lost') return end;
        this.refuseWhenClosed();
        if (process.started) return { kind: 'end', cause: 'ended', console: '' };
      } finally {
        this.apart.delete(process);
        await process.close();
      }
    }
    throw new SandboxUnavailable('the sandbox of functions does not start');
  }

  private refuseWhenClosed(): void {
    if (this.closed) throw new SandboxUnavailable('the sandbox of functions is closed');
  }
}

/** So that it is known at which record the process is lost. An instance that ends after its answer harms nobody. */
const oneByOne = async (
  process: SandboxProcess,
  batch: Batch,
  records: readonly string[],
  answer: (answer: Answer) => void,
): Promise<BatchEnd | ProcessLost> => {
  let console = '';
  for (const step of records.length === 0 ? [[]] : records.map((record) => [record])) {
    let answers = 0;
    const end = await process.run(batch, step, (one) => {
      answers += 1;
      answer(one);
    });
    if (end === 'process lost') return end;
    console += end.console;
    if (answers === 0 && (end.cause ?? end.refusal)) return { ...end, console };
  }
  return { kind: 'end', console };
};
