import { setTimeout as pause } from 'node:timers/promises';
import { inspect } from 'node:util';

/** Far longer than anything takes on a busy machine, and shorter than the time limit of a test. */
const PATIENCE_MS = 240_000;
const LOOK_MS = 20;

type Look = () => unknown;

const witnesses = new Map<string, Look>();

/**
 * Registers a look at the state of what a test has started, which a failing {@link until} reports.
 *
 * @returns ends the registration.
 */
export const addWitness = (name: string, look: Look): (() => void) => {
  witnesses.set(name, look);
  return () => {
    if (witnesses.get(name) === look) witnesses.delete(name);
  };
};

const lastSeen = async (): Promise<string> => {
  const looks = [...witnesses].map(async ([name, look]) => {
    const seen = await Promise.resolve()
      .then(look)
      .catch((error: unknown) => error);
    return `${name}: ${inspect(seen, { depth: 6, breakLength: 120 })}`;
  });
  return (await Promise.all(looks)).join('\n');
};

/**
 * Resolves when the condition holds.
 *
 * @throws Error when it does not within four minutes, with the condition and what the witnesses see then.
 */
export const until = async (isSo: () => boolean | Promise<boolean>): Promise<void> => {
  const end = Date.now() + PATIENCE_MS;
  for (; Date.now() < end; await pause(LOOK_MS)) if (await isSo()) return;
  const what = `did not come about within ${PATIENCE_MS / 1_000} s: ${isSo.toString()}`;
  throw new Error(`${what}\nLast seen:\n${await lastSeen()}`);
};
