import { setTimeout as wait } from 'node:timers/promises';
import { FairTurns } from '@penstock/turns';
import { keptConsole } from './wire/console-text';
import { SandboxUnavailable } from './function-errors';
import { type ProcessLost, type SandboxLimits, SandboxProcess } from './sandbox-process';
import type { Answer, Batch, BatchEnd } from './wire/messages';

/** Number of processes in a row that end before they are ready, after which no more are started. */
const MAX_STARTS = 5;
const FIRST_DELAY_MS = 100;

/**
 * Runs batches in separate processes, one batch and one process at a time: together they have no more memory than one
 * function.
 */
export class ProcessesApart {
  private readonly turns = new FairTurns({ places: 1 });
  private readonly limits: SandboxLimits;
  private process: SandboxProcess | undefined;
  private closed = false;

  constructor(limits: SandboxLimits) {
    this.limits = { ...limits, maxInstances: 1, places: 1, growths: 1, spares: 0 };
  }

  /**
   * Runs the remaining records of a batch in a process of its own. When that process is lost too, the batch ends at the
   * current record with the cause `ended`.
   *
   * @throws SandboxUnavailable, or the signal's reason.
   */
  run(
    batch: Batch,
    records: readonly string[],
    answer: (answer: Answer) => void,
    signal?: AbortSignal,
  ): Promise<BatchEnd> {
    return this.turns.take({ share: batch.workspace, signal }, async () => {
      for (let starts = 0; starts < MAX_STARTS; starts += 1) {
        await wait(FIRST_DELAY_MS * 2 ** starts);
        signal?.throwIfAborted();
        const end = await this.attempt(batch, records, answer, signal);
        signal?.throwIfAborted();
        if (end !== 'process lost') return end;
      }
      throw new SandboxUnavailable('the sandbox of functions does not start');
    });
  }

  async close(): Promise<void> {
    this.closed = true;
    await this.process?.close();
  }

  /** @returns `process lost` only when the process did not even start. */
  private async attempt(
    batch: Batch,
    records: readonly string[],
    answer: (answer: Answer) => void,
    signal: AbortSignal | undefined,
  ): Promise<BatchEnd | ProcessLost> {
    this.refuseWhenClosed();
    const process = new SandboxProcess(this.limits);
    this.process = process;
    try {
      const end = await oneByOne(process, batch, records, answer, signal);
      if (end !== 'process lost') return end;
      this.refuseWhenClosed();
      return process.started ? { kind: 'end', cause: 'ended', console: '' } : end;
    } finally {
      await process.close();
    }
  }

  private refuseWhenClosed(): void {
    if (this.closed) throw new SandboxUnavailable('the sandbox of functions is closed');
  }
}

/**
 * Runs records one by one, so that the record at which the process is lost is known. An end of the instance after its
 * answer is ignored.
 */
const oneByOne = async (
  process: SandboxProcess,
  batch: Batch,
  records: readonly string[],
  answer: (answer: Answer) => void,
  signal: AbortSignal | undefined,
): Promise<BatchEnd | ProcessLost> => {
  let console = '';
  for (const step of records.length === 0 ? [[]] : records.map((record) => [record])) {
    let answers = 0;
    const counted = (one: Answer): void => {
      answers += 1;
      answer(one);
    };
    const end = await process.run(batch, step, counted, signal);
    if (end === 'process lost') return end;
    console = keptConsole(console + end.console);
    if (answers === 0 && (end.cause ?? end.refusal)) return { ...end, console };
  }
  return { kind: 'end', console };
};
