import { FairTurns, TurnsByName } from '@penstock/turns';
import type { Clock } from '../time/clock';
import { Circuits } from './circuits';
import { SandboxUnavailable } from './function-errors';
import type { CircuitState } from './function-runner';
import { ProcessesApart } from './processes-apart';
import { type SandboxLimits, SandboxProcess } from './sandbox-process';
import type { Answer, Batch, BatchEnd } from './wire/messages';

/** Lines of a workspace, served in turn: trials do not delay its pipelines. */
const LINES = { once: 'trials', kept: 'pipelines' } as const;

/**
 * Part of the places that a workspace may use for functions whose last turn did not end by itself, or that had none
 * yet.
 */
const UNPROVEN = 1 / 4;

/**
 * Runs batches in one process: those of one instance one after the other, others concurrently, in turns that workspaces
 * share fairly. Functions that are not proven share a quarter of the places with the others of their workspace. When
 * the process is lost, each batch in progress continues in a process of its own: if that is lost as well, this batch
 * has caused it.
 */
export class Sandbox {
  private shared: SandboxProcess | undefined;
  private readonly apart: ProcessesApart;
  private readonly turns: FairTurns;
  private readonly circuits: Circuits;
  private readonly instances = new TurnsByName({ places: 1 });
  private readonly unproven: TurnsByName;
  private closed = false;

  constructor(
    private readonly limits: SandboxLimits,
    clock: Clock,
  ) {
    this.turns = new FairTurns({ places: limits.places });
    this.unproven = new TurnsByName({
      places: Math.max(1, Math.floor(UNPROVEN * limits.places)),
    });
    this.circuits = new Circuits(clock);
    this.apart = new ProcessesApart(limits);
  }

  /** Number of batches that have a turn. */
  get running(): number {
    return this.turns.taken;
  }

  /**
   * Runs a batch once.
   *
   * @param records JSON texts.
   * @param answer is called in the order of the records.
   * @param signal ends the wait for a turn, and the instance.
   * @throws SandboxUnavailable, or the signal's reason.
   */
  async attempt(
    batch: Batch,
    records: readonly string[],
    answer: (answer: Answer) => void,
    signal?: AbortSignal,
  ): Promise<BatchEnd> {
    const { instance, workspace, once } = batch;
    return this.instances.take(instance, { share: '', signal }, async () => {
      await this.circuits.pause(instance, signal);
      const request = { share: workspace, line: once ? LINES.once : LINES.kept, signal };
      const turn = (): Promise<BatchEnd> =>
        this.turns.take(request, () => this.inTurn(batch, records, answer, signal));
      const isProven = this.circuits.isProven(instance);
      const end = await (isProven ? turn() : this.unproven.take(workspace, request, turn));
      if (!once) this.circuits.record(instance, end);
      return end;
    });
  }

  /** What is known of the circuit of an instance. */
  circuitOf(instance: string): CircuitState {
    return this.circuits.stateOf(instance);
  }

  async close(): Promise<void> {
    this.closed = true;
    this.circuits.close();
    await Promise.all([this.apart.close(), this.shared?.close()]);
  }

  private async inTurn(
    batch: Batch,
    records: readonly string[],
    answer: (answer: Answer) => void,
    signal: AbortSignal | undefined,
  ): Promise<BatchEnd> {
    let answered = 0;
    const counted = (one: Answer): void => {
      answered += 1;
      answer(one);
    };
    const end = await this.sharedProcess().run(batch, records, counted, signal);
    signal?.throwIfAborted();
    return end === 'process lost'
      ? this.apart.run(batch, records.slice(answered), answer, signal)
      : end;
  }

  private sharedProcess(): SandboxProcess {
    if (this.closed) throw new SandboxUnavailable('the sandbox of functions is closed');
    if (!this.shared || this.shared.lost) this.shared = new SandboxProcess(this.limits);
    return this.shared;
  }
}
