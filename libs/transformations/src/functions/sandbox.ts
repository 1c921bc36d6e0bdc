import { FairTurns, type TurnRequest, TurnsByName } from '@penstock/turns';
import type { Clock } from '../time/clock';
import { Circuits } from './circuits';
import { SandboxUnavailable } from './function-errors';
import type { CircuitState } from './function-runner';
import { Overruns } from './overruns';
import { Pauses } from './pauses';
import { ProcessesApart } from './processes-apart';
import { type SandboxLimits, SandboxProcess } from './sandbox-process';
import type { Answer, Batch, BatchEnd } from './wire/messages';

/** The line of a workspace that a batch is in: lines are served in turn, so that trials do not delay pipelines. */
const lineOf = ({ workspace, once }: Batch): string =>
  `${workspace} ${once ? 'trials' : 'pipelines'}`;

/**
 * Part of the places that a workspace may use for functions whose last turn did not end by itself, or that had none
 * yet.
 */
const UNPROVEN = 1 / 4;

/**
 * Runs batches in one process: those of one instance one after the other, others concurrently, in turns that workspaces
 * share fairly. Functions that are not proven share a quarter of the places with the others of their workspace, and rest
 * when those of their line that did not end by themselves have run for long. When the process is lost, each batch in progress
 * continues in a process of its own: if that is lost as well, this batch has caused it.
 */
export class Sandbox {
  private shared: SandboxProcess | undefined;
  private readonly apart: ProcessesApart;
  private readonly turns: FairTurns;
  private readonly pauses: Pauses;
  private readonly circuits: Circuits;
  private readonly overruns: Overruns;
  private readonly instances = new TurnsByName({ places: 1 });
  private readonly unproven: TurnsByName;
  /** Those of a line whose circuit is open rest out of the way of the others. */
  private readonly resting: TurnsByName;
  private closed = false;

  constructor(
    private readonly limits: SandboxLimits,
    private readonly clock: Clock,
  ) {
    this.turns = new FairTurns({ places: limits.places });
    const places = Math.max(1, Math.floor(UNPROVEN * limits.places));
    this.unproven = new TurnsByName({ places });
    this.resting = new TurnsByName({ places });
    this.pauses = new Pauses(clock);
    this.circuits = new Circuits(clock, this.pauses);
    this.overruns = new Overruns(clock, this.pauses);
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
      const request = { share: workspace, line: lineOf(batch), signal };
      const turn = (): Promise<BatchEnd> =>
        this.turns.take(request, () => this.inTurn(batch, records, answer, signal));
      const isProven = this.circuits.isProven(instance);
      const end = await (isProven ? turn() : this.unprovenTurn(batch, request, turn));
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
    this.pauses.close();
    await Promise.all([this.apart.close(), this.shared?.close()]);
  }

  /** Rests before it waits for a place, which others of the workspace may need meanwhile. */
  private unprovenTurn<T>(batch: Batch, request: TurnRequest, turn: () => Promise<T>): Promise<T> {
    const { share, signal } = request;
    const isOpen = this.circuits.stateOf(batch.instance) === 'open';
    const line = `${lineOf(batch)} ${isOpen ? 'open' : 'unknown'}`;
    return this.resting.take(line, { share: '', signal }, async () => {
      await this.overruns.rest(lineOf(batch), isOpen, signal);
      return this.unproven.take(share, request, turn);
    });
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
    const sinceMs = this.clock.nowMs();
    let isInVain = true;
    try {
      let end = await this.sharedProcess().run(batch, records, counted, signal);
      signal?.throwIfAborted();
      if (end === 'process lost')
        end = await this.apart.run(batch, records.slice(answered), answer, signal);
      isInVain = end.cause !== undefined;
      return end;
    } finally {
      if (isInVain) this.overruns.spend(lineOf(batch), this.clock.nowMs() - sinceMs);
    }
  }

  private sharedProcess(): SandboxProcess {
    if (this.closed) throw new SandboxUnavailable('the sandbox of functions is closed');
    if (!this.shared || this.shared.lost) this.shared = new SandboxProcess(this.limits);
    return this.shared;
  }
}
