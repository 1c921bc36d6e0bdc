import { setTimeout as sleep } from 'node:timers/promises';
import { median } from '../percentile';
import type { Figures } from './figures';
import { LateEvents } from './late-events';
import { inRounds } from './rounds';
import { type RouterCase, TROUBLES } from './router-case';
import type { Sent, Stage } from './stage';

const POLL_MS = 20;
const PATIENCE_MS = 60_000;
/** What troubles of others may add to the delay. */
const ALLOWED_MS = 20;

/** What one load has shown of the healthy destinations. */
interface Round {
  readonly p99Ms: number;
  /** Of the one that fared worst. */
  readonly worstP99Ms: number;
  /** Events a second that reached them, from the beginning of the load to the last. */
  readonly perSecond: number;
}

/** Waits until the healthy destinations have what was sent to them. */
const follow = async (
  stage: Stage,
  healthy: number,
  names: number,
  sending: Promise<Sent>,
): Promise<Round> => {
  const startMs = Date.now();
  const { events } = await sending;
  const expected = Math.floor(events / names) * healthy + Math.min(healthy, events % names);
  for (const endMs = Date.now() + PATIENCE_MS; ; await sleep(POLL_MS)) {
    const counted = await stage.counter.ask({ what: 'count', first: healthy });
    const own = counted.applications.filter(({ application }) => application < healthy);
    const distinct = own.reduce((sum, each) => sum + each.distinct, 0);
    if (distinct < expected && Date.now() < endMs) continue;
    const seconds = (Date.now() - startMs) / 1_000;
    const worstP99Ms = Math.max(...own.map(({ p99Ms }) => p99Ms));
    return { p99Ms: counted.p99Ms, worstP99Ms, perSecond: distinct / seconds };
  }
};

/**
 * Twenty healthy destinations under one load, half of what the installation can do with them: alone, while the events of
 * four more are for nobody, and beside those four, of which one hangs, one answers 500, one 429, and one takes one request a
 * second. Medians of five.
 */
export const isolation = async (
  stage: Stage,
  { destinations = 1, eventsEachSecond }: RouterCase,
  seconds: number,
): Promise<Figures> => {
  const healthy = destinations - TROUBLES.length;
  const events = eventsEachSecond * seconds;
  const capacity = await follow(stage, healthy, destinations, stage.send({ events }));
  const rate = (capacity.perSecond * destinations) / healthy / 2;
  const measure = (): Promise<Round> =>
    follow(stage, healthy, destinations, stage.send({ rate, seconds }));
  const alone = await inRounds(measure);
  for (const [index, as] of TROUBLES.entries()) {
    await stage.counter.behave(healthy + index, as);
    await stage.link(healthy + index);
  }
  const of = (rounds: readonly Round[], figure: keyof Round): number =>
    median(rounds.map((round) => round[figure]));
  const late = new LateEvents(stage, healthy, of(alone, 'p99Ms') + ALLOWED_MS);
  const beside = await late.inRounds(measure);
  return {
    'events/s': Math.round(rate),
    'p99 ms alone': of(alone, 'p99Ms'),
    'p99 ms beside troubles': of(beside, 'p99Ms'),
    'p99 ms of the worst, alone': of(alone, 'worstP99Ms'),
    'p99 ms of the worst, beside troubles': of(beside, 'worstP99Ms'),
    'throughput beside troubles, ratio':
      Math.round((100 * of(beside, 'perSecond')) / of(alone, 'perSecond')) / 100,
    ...late.figures(),
  };
};
