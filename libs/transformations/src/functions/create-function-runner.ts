import type { Clock } from '../time/clock';
import { systemClock } from '../time/system-clock';
import type { FunctionRunner } from './function-runner';
import { Sandbox } from './sandbox';
import { sandboxShares } from './sandbox-shares';
import { SandboxedFunctions } from './sandboxed-functions';

const MIB = 1024 * 1024;

/** Limits of {@link createFunctionRunner}. */
export interface FunctionRunnerOptions {
  /** Of one batch: evaluation of the source, calls and awaits. Default 10,000. */
  readonly timeLimitMs?: number;
  /** Of the guest of one function. Default 256 MiB. */
  readonly memoryLimitBytes?: number;
  /**
   * Of the process of the functions as a whole, runtime included: what does not fit in takes turns. It is never less
   * than what one function needs that uses up its own limit. Default 1 GiB.
   */
  readonly memoryCapBytes?: number;
  /** Functions that are kept ready, as far as there is memory; never more batches run at a time. Default 16. */
  readonly maxInstances?: number;
  /** Batches that run at a time. Default: two for each processor, at least four. */
  readonly maxRunning?: number;
  /** Guests of each used language that wait for a function. Default 1. */
  readonly spares?: number;
  /** Of the pauses of functions that time out. Default: the machine's. */
  readonly clock?: Clock;
}

/** The sandbox is started by the first batch. */
export const createFunctionRunner = ({
  timeLimitMs = 10_000,
  memoryLimitBytes = 256 * MIB,
  clock = systemClock,
  ...limits
}: FunctionRunnerOptions = {}): FunctionRunner =>
  new SandboxedFunctions(
    new Sandbox(sandboxShares({ memoryLimitBytes, ...limits }), clock),
    timeLimitMs,
  );
