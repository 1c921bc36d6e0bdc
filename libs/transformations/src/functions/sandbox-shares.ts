import { availableParallelism } from 'node:os';
import type { SandboxLimits } from './sandbox-process';

const MIB = 1024 * 1024;
const DEFAULT_CAP_BYTES = 1024 * MIB;
const DEFAULT_INSTANCES = 16;
const LEAST_RUNNING = 4;
const RUNNING_PER_PROCESSOR = 2;
const LANGUAGES = 2;

/** Of the process with both languages loaded, and nothing in it. */
const RUNTIME_BYTES = 256 * MIB;
/** Of a thread with a guest, beside the memory of the guest. */
const THREAD_BYTES = 20 * MIB;
/** What each guest may have at any time. Interpreters need up to 13 MiB of it, most functions less than one more. */
const EASY_BYTES = 32 * MIB;

/** What a sandbox may have in all. */
export interface SandboxDemand {
  /** Of one guest. */
  readonly memoryLimitBytes: number;
  /** Of the process. Default 1 GiB. */
  readonly memoryCapBytes?: number;
  /** Default 16. */
  readonly maxInstances?: number;
  /** Default: two for each processor, at least four. */
  readonly maxRunning?: number;
  /** Default 1. */
  readonly spares?: number;
}

/**
 * Shares the memory of a sandbox out, so that its parts never add up to more than the cap: each place can always be
 * taken by a guest of an easy size, and so many guests at a time may grow beyond that, up to their limit. One of each at
 * least, whatever the cap.
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
