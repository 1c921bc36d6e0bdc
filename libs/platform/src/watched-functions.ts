import type { Schema } from '@penstock/schema';
import {
  type CircuitState,
  type FunctionBatch,
  type FunctionResult,
  type FunctionRunner,
  type FunctionSchemas,
  SandboxUnavailable,
  type TransformationFunction,
} from '@penstock/transformations';

const NOTHING: Schema = { kind: 'object', properties: [] };

const PROBE: TransformationFunction = {
  language: 'JavaScript',
  source: 'const transform = () => ({});',
  preserveJSON: false,
  inPaths: [],
  outPaths: [],
};

/** A runner that remembers whether its sandbox could be started when it was last needed. */
export class WatchedFunctions implements FunctionRunner {
  private isAway = false;

  constructor(
    private readonly runner: FunctionRunner,
    /** Called once each time the sandbox becomes unavailable. */
    private readonly onAway: (error: SandboxUnavailable) => void,
  ) {}

  compile(definition: TransformationFunction, schemas: FunctionSchemas): Promise<void> {
    return this.watch(this.runner.compile(definition, schemas));
  }

  run(
    batch: FunctionBatch,
    records: Parameters<FunctionRunner['run']>[1],
  ): Promise<FunctionResult> {
    return this.watch(this.runner.run(batch, records));
  }

  circuitOf(batch: FunctionBatch): CircuitState {
    return this.runner.circuitOf(batch);
  }

  /** Starts nothing unless the sandbox was away: then it is tried again. @throws SandboxUnavailable */
  async check(): Promise<void> {
    if (this.isAway) await this.compile(PROBE, { input: NOTHING, output: NOTHING });
  }

  /** What is still under way rejects: that is no news. */
  close(): Promise<void> {
    this.isAway = true;
    return this.runner.close();
  }

  private async watch<T>(work: Promise<T>): Promise<T> {
    try {
      const result = await work;
      this.isAway = false;
      return result;
    } catch (error) {
      if (error instanceof SandboxUnavailable && !this.isAway) this.onAway(error);
      this.isAway = error instanceof SandboxUnavailable;
      throw error;
    }
  }
}
