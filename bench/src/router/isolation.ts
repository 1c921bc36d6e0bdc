import { setTimeout as sleep } from 'node:timers/promises';
import { median } from '../percentile';
import type { Figures } from './figures';
import { LateEvents } from './late-events';
import { inRounds } from './rounds';
import { type RouterCase, TROUBLES } from './router-case';
import type { Sent, Stage } from './stage';

const POLL_MS = 20;
const PATIENCE_MS = 60_000;
/** Delay that troubles of other destinations may add. */
const ALLOWED_MS = 20;

/** Results of one load for the healthy destinations. */
interface Round {
  readonly p99Ms: number;
  /** The highest p99 of all destinations. */
  readonly worstP99Ms: number;
  /** Events per second that reached them, from the beginning of the load to the last event. */
  readonly perSecond: number;
}

/** Waits until the healthy destinations have received all events. */
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
 * Measures twenty healthy destinations under half of the highest load: alone, while the events of four more are not
 * delivered, and beside those four, of which one hangs, one answers 500, one 429, and one takes one request per second.
 * Medians of five rounds.
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
