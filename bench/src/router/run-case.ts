import { beginProfiles } from '../cpu-origins';
import { peakMiB, type Usage, usage } from '../process-usage';
import { flag } from '../table';
import { besideImport } from './beside-import';
import { catchUp } from './catch-up';
import type { Counted } from './counter';
import type { Figures } from './figures';
import { flood } from './flood';
import { intoWarehouse } from './into-warehouse';
import { isolation } from './isolation';
import { replays } from './replays';
import { linkedAtFirst, type RouterCase } from './router-case';
import { Stage } from './stage';
import { walBytes } from './write-ahead-log';

/** Number of events that are sent first, so that the code is compiled. */
const WARM_UP = 2_000;

const cpuFigures = (before: Usage, after: Usage, events: number, when: string): Figures =>
  Object.fromEntries(
    [...after].map(([name, seconds]) => {
      const micros = ((seconds - (before.get(name) ?? 0)) * 1e6) / Math.max(1, events);
      return [`CPU µs an event, ${name}${when}`, Math.round(micros * 10) / 10];
    }),
  );

const total = (figures: Figures): number =>
  Object.values(figures).reduce((sum, each) => sum + each, 0);

/** The highest delays of all destinations. */
const delayFigures = ({ applications }: Counted, when: string): Figures => {
  const worst = (of: (each: Counted['applications'][number]) => number): number =>
    Math.max(0, ...applications.map(of));
  return {
    [`p50 ms${when}`]: worst(({ p50Ms }) => p50Ms),
    [`p95 ms${when}`]: worst(({ p95Ms }) => p95Ms),
    [`p99 ms${when}`]: worst(({ p99Ms }) => p99Ms),
  };
};

/** Measures a number of events at full speed. */
const atFullSpeed = async (stage: Stage, events: number): Promise<Figures> => {
  const { processes, databaseUrl } = stage.installation;
  const before = usage(processes);
  const walBefore = await walBytes(databaseUrl);
  const startMs = Date.now();
  const sent = await stage.send({ events });
  const missing = await stage.untilDelivered(sent);
  const counted = await stage.counter.ask({ what: 'count' });
  const cpu = cpuFigures(before, usage(processes), sent.events, '');
  const seconds = (counted.lastMs - startMs) / 1_000;
  return {
    events: sent.events,
    'accepted/s': Math.round(sent.events / sent.seconds),
    'events/s end to end': Math.round(sent.events / seconds),
    missing,
    repeated: counted.repeated,
    refused: sent.failed,
    ...cpu,
    'CPU µs an event': Math.round(total(cpu)),
    'WAL bytes an event': Math.round(((await walBytes(databaseUrl)) - walBefore) / sent.events),
    ...delayFigures(counted, ' at full speed'),
  };
};

/** Measures a steady rate for some time. */
const atRate = async (stage: Stage, rate: number, seconds: number): Promise<Figures> => {
  const { processes } = stage.installation;
  const endProfiles = flag('profile') ? beginProfiles(processes) : undefined;
  const before = usage(processes);
  const sent = await stage.send({ rate, seconds });
  const missing = await stage.untilDelivered(sent);
  const counted = await stage.counter.ask({ what: 'count' });
  const cpu = cpuFigures(before, usage(processes), sent.events, ' at the rate');
  const origins = [...((await endProfiles?.()) ?? [])].map(([origin, micros]) => [
    `main threads' µs an event, ${origin}`,
    Math.round((10 * micros) / sent.events) / 10,
  ]);
  return {
    'rate events/s': Math.round(rate),
    'missing at the rate': missing,
    'repeated at the rate': counted.repeated,
    ...delayFigures(counted, ''),
    ...cpu,
    'CPU µs an event at the rate': Math.round(total(cpu)),
    ...(Object.fromEntries(origins) as Figures),
  };
};

const memoryFigures = (processes: Usage): Figures =>
  Object.fromEntries(
    [...processes]
      .filter(([name]) => name !== 'postgres' && name !== 'kafka')
      .map(([name, pid]) => [`MiB at most, ${name}`, Math.round(peakMiB(pid))]),
  );

/**
 * Measures one case on an installation of its own.
 *
 * @param seconds length of each measurement.
 * @param rate events per second of the steady load; overrides the case's.
 */
export const runCase = async (
  routerCase: RouterCase,
  seconds: number,
  rate = routerCase.rate,
): Promise<Figures> => {
  const { eventsEachSecond, isSpread, isAway, isTroubled, isFlooded, isReplayed, isWritten } =
    routerCase;
  const { isBesideImport } = routerCase;
  const stage = await Stage.open(routerCase);
  try {
    const warmUp = await stage.send({
      events: Math.min(WARM_UP, 10 * (eventsEachSecond || WARM_UP)),
      ...(isSpread && { names: linkedAtFirst(routerCase) }),
    });
    await stage.untilDelivered(warmUp);
    if (isAway) return await catchUp(stage, rate ?? 0, seconds);
    if (isTroubled) return await isolation(stage, routerCase, seconds);
    if (isFlooded) return await flood(stage, rate, seconds);
    if (isWritten) return await intoWarehouse(stage, eventsEachSecond * seconds);
    if (isBesideImport) return await besideImport(stage, rate ?? 0, seconds);
    if (isReplayed) return await replays(stage, eventsEachSecond * seconds, seconds);
    const full = eventsEachSecond > 0 ? await atFullSpeed(stage, eventsEachSecond * seconds) : {};
    const half = (full['events/s end to end'] ?? 0) / 2;
    const steady = await atRate(stage, rate ?? half, seconds);
    return { ...full, ...steady, ...memoryFigures(stage.installation.processes) };
  } finally {
    await stage.close();
  }
};
