import { Outages, withoutRequestId } from '@penstock/runtime';
import type { Scheduler } from './scheduler';

/** A slot is decided this long after it began, at most, while the database answers. */
const LOOK_MS = 1_000;

const FAULT = 'due slots of schedules cannot be decided, so that runs are late; trying again';

/**
 * Looks for due slots every second.
 *
 * @returns a function that stops it, after the look under way.
 */
export const runSchedules = (scheduler: Scheduler, outages: Outages): (() => Promise<void>) => {
  let isStopped = false;
  let timer: NodeJS.Timeout | undefined;
  let looking: Promise<void> = Promise.resolve();
  const look = async (): Promise<void> => {
    try {
      while (!isStopped && (await scheduler.look()));
    } catch (err) {
      withoutRequestId(() => {
        outages.report({ what: FAULT, err });
      });
    }
    if (!isStopped) next();
  };
  const next = (): void => {
    timer = setTimeout(() => {
      looking = look();
    }, LOOK_MS);
  };
  next();
  return () => {
    isStopped = true;
    clearTimeout(timer);
    return looking;
  };
};
