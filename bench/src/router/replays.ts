import { setTimeout as sleep } from 'node:timers/promises';
import { usage } from '../process-usage';
import type { Figures } from './figures';
import type { Stage } from './stage';

/** Part of the replayed events per second at which live events are sent beside a replay. */
const BESIDE_PART = 0.1;

const p99Of = async (stage: Stage, rate: number, seconds: number): Promise<Figures> => {
  const { processes } = stage.installation;
  const before = usage(processes);
  const sent = await stage.send({ rate, seconds });
  const missing = await stage.untilDelivered(sent);
  const { applications } = await stage.counter.ask({ what: 'count' });
  const used = [...usage(processes)].map(([name, after]) => after - (before.get(name) ?? 0));
  return {
    'p50 ms': Math.max(0, ...applications.map(({ p50Ms }) => p50Ms)),
    'p99 ms': Math.max(0, ...applications.map(({ p99Ms }) => p99Ms)),
    'CPU seconds': Math.round(used.reduce((sum, each) => sum + each, 0)),
    missing,
  };
};

const named = (figures: Figures, when: string): Figures =>
  Object.fromEntries(Object.entries(figures).map(([name, value]) => [`${name}, ${when}`, value]));

/** Replays the window again and again until the work is done. @returns the number of replayed records. */
const replayingDuring = async (stage: Stage, work: Promise<unknown>): Promise<number> => {
  const over = new AbortController();
  const isOver = (): boolean => over.signal.aborted;
  const done = work.finally(() => {
    over.abort();
  });
  let records = 0;
  while (!isOver()) {
    const id = await stage.createReplay();
    while (!isOver() && (await stage.replay(id)).state === 'Running') await sleep(100);
    records += (await stage.replay(id)).progress.read;
    await stage.cancelReplay(id);
  }
  await done;
  return records;
};

/**
 * Measures replays of the events that are sent first: alone, then beside live events, whose delays are compared with those
 * without a replay.
 */
export const replays = async (stage: Stage, events: number, seconds: number): Promise<Figures> => {
  await stage.untilDelivered(await stage.send({ events }));
  const id = await stage.createReplay();
  let replay = await stage.replay(id);
  for (; replay.state === 'Running'; await sleep(100)) replay = await stage.replay(id);
  const ms = Date.parse(replay.endedAt ?? '') - Date.parse(replay.createdAt);
  const { events: replayed = 0, different = 0 } = replay.summary ?? {};
  const perSecond = (1_000 * replayed) / ms;
  const rate = BESIDE_PART * perSecond;
  const alone = await p99Of(stage, rate, seconds);
  const beside = p99Of(stage, rate, seconds);
  const records = await replayingDuring(stage, beside);
  return {
    'replayed events': replayed,
    'of them different': different,
    'replayed events/s, with the time until a router begins': Math.round(perSecond),
    'live events/s': Math.round(rate),
    ...named(alone, 'live alone'),
    ...named(await beside, 'live beside replays'),
    'replayed records/s beside live': Math.round(records / seconds),
  };
};
