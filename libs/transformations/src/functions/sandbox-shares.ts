import { availableParallelism } from 'node:os';
import type { SandboxLimits } from './sandbox-process';

const MIB = 1024 * 1024;
const DEFAULT_CAP_BYTES = 1024 * MIB;
const DEFAULT_INSTANCES = 16;
const LEAST_RUNNING = 4;
const RUNNING_PER_PROCESSOR = 2;
const LANGUAGES = 2;

/** Memory of the process with both languages loaded, without guests. */
const RUNTIME_BYTES = 256 * MIB;
/** Memory of a thread with a guest, besides the guest's own. */
const THREAD_BYTES = 20 * MIB;
/**
 * Memory that each guest may have at any time. Interpreters need up to 13 MiB of it, most functions less than one more.
 */
const EASY_BYTES = 32 * MIB;

/** Limits of a sandbox as configured. */
export interface SandboxDemand {
  /** Memory limit of one guest. */
  readonly memoryLimitBytes: number;
  /** Memory limit of the process. Default 1 GiB. */
  readonly memoryCapBytes?: number;
  /** Kept instances. Default 16. */
  readonly maxInstances?: number;
  /** Batches that run concurrently. Default: two for each processor, at least four. */
  readonly maxRunning?: number;
  /** Idle guests of each language. Default 1. */
  readonly spares?: number;
}

/**
 * Divides the memory of a sandbox so that its parts never exceed the cap: each place can always hold a guest of the
 * easy size, and `growths` guests at a time may grow beyond that, up to their limit. At least one place and one growth,
 * whatever the cap.
 */
export const sandboxShares = ({
  memoryLimitBytes,
  memoryCapBytes = DEFAULT_CAP_BYTES,
  maxInstances = DEFAULT_INSTANCES,
  maxRunning = Math.max(LEAST_RUNNING, RUNNING_PER_PROCESSOR * availableParallelism()),
  spares = 1,
}: SandboxDemand): SandboxLimits => {
  const easyBytes = Math.min(EASY_BYTES, memoryLimitBytes);
  const growthBytes = memoryLimitBytes - easyBytes;
  const roomBytes = memoryCapBytes - RUNTIME_BYTES;
  const placeBytes = THREAD_BYTES + easyBytes;
  const fitting = Math.floor((roomBytes - growthBytes) / placeBytes) - LANGUAGES * spares;
  const places = Math.max(1, Math.min(fitting, maxInstances, maxRunning));
  const leftBytes = roomBytes - (places + LANGUAGES * spares) * placeBytes;
  const growths = growthBytes === 0 ? places : Math.max(1, Math.floor(leftBytes / growthBytes));
  return {
    memoryLimitBytes,
    easyBytes,
    capBytes: memoryCapBytes,
    roomBytes,
    threadBytes: THREAD_BYTES,
    maxInstances: Math.max(places, maxInstances),
    places,
    growths: Math.min(growths, places),
    spares,
  };
};
