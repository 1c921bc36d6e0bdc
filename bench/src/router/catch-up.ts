import { setTimeout as sleep } from 'node:timers/promises';
import type { Counted } from './counter';
import type { Figures } from './figures';
import type { Stage } from './stage';

/** Indexes of the destination that fails, and of the healthy one. */
const AWAY = 1;
const BESIDE = 0;

const POLL_MS = 100;
/** Duration of the load, as a multiple of the outage. */
const TIMES_LONGER = 4;
const PATIENCE_MS = 120_000;

const distinctOf = ({ applications }: Counted, wanted: number): number =>
  applications.find(({ application }) => application === wanted)?.distinct ?? 0;

/** Follows the recovered destination until it has as many events as the other one. */
const follow = async (stage: Stage, rate: number): Promise<Figures> => {
  const backMs = Date.now();
  let firstMs = 0;
  let before = 0;
  let counted = await stage.counter.behave(AWAY, 'well');
  const start = distinctOf(counted, AWAY);
  for (; Date.now() < backMs + PATIENCE_MS; await sleep(POLL_MS)) {
    counted = await stage.counter.ask({ what: 'count' });
    const caught = distinctOf(counted, AWAY);
    if (caught === start) continue;
    if (firstMs === 0) {
      firstMs = Date.now();
      before = caught;
    }
    // Events of the last half second may still be in flight to either.
    if (caught >= distinctOf(counted, BESIDE) - rate / 2) break;
  }
  const seconds = Math.max(POLL_MS, Date.now() - firstMs) / 1_000;
  return {
    's until its first event': Math.round((firstMs - backMs) / 100) / 10,
    's of catching up': Math.round(seconds * 10) / 10,
    'events/s while it catches up': Math.round((distinctOf(counted, AWAY) - before) / seconds),
  };
};

/** Measures how one of two destinations catches up after an outage, under constant load. */
export const catchUp = async (stage: Stage, rate: number, seconds: number): Promise<Figures> => {
  await stage.counter.behave(AWAY, 'away');
  const sending = stage.send({ rate, seconds: TIMES_LONGER * seconds });
  await sleep(seconds * 1_000);
  const followed = await follow(stage, rate);
  const sent = await sending;
  const missing = await stage.untilDelivered(sent);
  const counted = await stage.counter.ask({ what: 'count' });
  const beside = counted.applications.find(({ application }) => application === BESIDE);
  return {
    'rate events/s': rate,
    ...followed,
    'p99 ms of the other': beside?.p99Ms ?? 0,
    missing,
    repeated: counted.repeated,
  };
};
