import { type Clock, systemClock } from '../time/clock';
import type { FunctionRunner } from './function-runner';
import { Sandbox } from './sandbox';
import { sandboxShares } from './sandbox-shares';
import { SandboxedFunctions } from './sandboxed-functions';

const MIB = 1024 * 1024;

/** Limits of {@link createFunctionRunner}. */
export interface FunctionRunnerOptions {
  /** Time limit of one batch: evaluation of the source, calls and awaits. Default 10,000. */
  readonly timeLimitMs?: number;
  /** Memory limit of the guest of one function. Default 256 MiB. */
  readonly memoryLimitBytes?: number;
  /**
   * Memory limit of the process that runs the functions, including its runtime: functions take turns when memory is
   * short. The process may always use as much as one function at its limit needs. Default 1 GiB.
   */
  readonly memoryCapBytes?: number;
  /**
   * Maximal number of functions that are kept ready, as far as memory allows; also bounds the batches that run
   * concurrently. Default 16.
   */
  readonly maxInstances?: number;
  /** Batches that run concurrently. Default: two for each processor, at least four. */
  readonly maxRunning?: number;
  /** Idle guests of each used language, ready for a function. Default 1. */
  readonly spares?: number;
  /** Clock for the pauses of functions that time out. Default: the system's. */
  readonly clock?: Clock;
}

/** Creates a runner. The sandbox is started by the first batch. */
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
