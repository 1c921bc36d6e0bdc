import type { ChildProcess } from 'node:child_process';
import { once } from 'node:events';
import { Api } from './api';
import { runLoad, startHelper, stop } from './child';
import { API_KEY, type Measured, startDistributed, startEmbedded } from './installations';
import { cpuMicrosEach, peakMiB, proportionalMiB, type Usage, usage } from './process-usage';
import { cells, heading, option, print } from './table';

const WARM_UP_SECONDS = 3;
const STEADY_RATE = 5_000;
const CONNECTIONS = { single: 256, batch: 16 };
const BATCH = 100;

const SECONDS = option('seconds', 10);

interface Load {
  readonly port: number;
  readonly path: string;
  readonly key: string;
  readonly batch: boolean;
}

interface Loaded {
  readonly events: number;
  readonly failed: number;
  readonly seconds: number;
  readonly p50Ms: number;
  readonly p99Ms: number;
}

let runs = 0;
/** @param rate events per second; absent: as fast as the answers come. */
const load = async (
  { port, path, key, batch }: Load,
  seconds: number,
  rate?: number,
): Promise<Loaded> => {
  runs += 1;
  const eventsPerRequest = batch ? BATCH : 1;
  const prefix = `run-${String(runs).padStart(3, '0')}-`;
  const { requests, failed, ...times } = await runLoad({
    port,
    load: { events: { path, key, eventsPerRequest, prefix } },
    seconds,
    connections: batch ? CONNECTIONS.batch : CONNECTIONS.single,
    ...(rate !== undefined && { rate: rate / eventsPerRequest }),
  });
  return { ...times, events: requests * eventsPerRequest, failed: failed * eventsPerRequest };
};

/** Measures after a warm-up, so that the code is compiled. */
const measured = async (
  title: string,
  target: Load,
  processes: Usage,
  baseline: Loaded | undefined,
): Promise<Loaded> => {
  await load(target, WARM_UP_SECONDS);
  const before = usage(processes);
  const result = await load(target, SECONDS);
  const rate = result.events / result.seconds;
  const base = baseline === undefined ? undefined : baseline.events / baseline.seconds;
  print(
    cells(
      title,
      rate,
      base === undefined ? '1' : (rate / base).toFixed(2),
      result.p50Ms,
      result.p99Ms,
      cpuMicrosEach(before, usage(processes), result.events),
      result.failed,
    ),
  );
  return result;
};

interface Arrived {
  readonly distinct: number;
  readonly repeated: number;
  readonly requests: number;
}

const arrived = async (destination: ChildProcess): Promise<Arrived> => {
  destination.send('count');
  const [counts] = (await once(destination, 'message')) as [Arrived];
  return counts;
};

/** Sends events at a steady rate through a filter and a mapping to a destination that answers at once. */
const endToEnd = async (
  { name, port, processes }: Measured,
  batchSize: number,
  seconds: number,
): Promise<void> => {
  const destination = await startHelper('destination-server');
  const api = new Api(`http://127.0.0.1:${port}`, API_KEY);
  const { key } = await api.route(
    `batches of ${batchSize}`,
    `http://127.0.0.1:${destination.port}/`,
    batchSize,
  );
  const before = usage(processes);
  const lags: number[] = [];
  let sent: Loaded | undefined;
  const sending = load({ port, path: '/v1/batch', key, batch: true }, seconds, STEADY_RATE).then(
    (result) => (sent = result),
  );
  const startMs = Date.now();
  while (sent === undefined) {
    await Promise.race([sending, new Promise((resolve) => setTimeout(resolve, 1_000))]);
    const due = Math.min(seconds, (Date.now() - startMs) / 1_000) * STEADY_RATE;
    lags.push(due - (await arrived(destination.process)).distinct);
  }
  const drainStartMs = Date.now();
  let counts = await arrived(destination.process);
  while (counts.distinct < sent.events && Date.now() - drainStartMs < 60_000) {
    await new Promise((resolve) => setTimeout(resolve, 100));
    counts = await arrived(destination.process);
  }
  const elapsed = (Date.now() - startMs) / 1_000;
  const middle = lags.slice(Math.floor(lags.length / 3), Math.floor((2 * lags.length) / 3));
  const late = lags.slice(Math.floor((2 * lags.length) / 3), -1);
  const mean = (values: number[]): number =>
    values.reduce((sum, value) => sum + value, 0) / Math.max(1, values.length);
  print(
    cells(
      `${name}, requests of up to ${batchSize}`,
      sent.events / sent.seconds,
      counts.distinct / elapsed,
      sent.events - counts.distinct,
      counts.repeated,
      mean(middle),
      mean(late),
      cpuMicrosEach(before, usage(processes), counts.distinct),
    ),
  );
  await stop(destination.process);
};

const memory = ({ name, processes }: Measured, moment: string): void => {
  const list = [...processes].map(
    ([process_, pid]) =>
      `${process_} ${proportionalMiB(pid).toFixed(0)} (peak ${peakMiB(pid).toFixed(0)})`,
  );
  print(`Memory of ${name}, ${moment}, MiB: ${list.join(', ')}`);
};

interface Baselines {
  readonly single: Loaded;
  readonly batch: Loaded;
}

const ACCEPT_HEAD = heading(
  'accepted',
  'events/s',
  'of the bare server',
  'p50 ms',
  'p99 ms',
  'CPU µs an event',
  'failed',
);

const baselines = async (): Promise<Baselines> => {
  const server = await startHelper('baseline-server');
  const processes = new Map([['bare', server.process.pid ?? 0]]);
  const target = { port: server.port, path: '/', key: 'none' };
  print(ACCEPT_HEAD);
  const single = await measured(
    'bare server, single',
    { ...target, batch: false },
    processes,
    undefined,
  );
  const batch = await measured(
    `bare server, batches of ${BATCH}`,
    { ...target, batch: true },
    processes,
    undefined,
  );
  await stop(server.process);
  return { single, batch };
};

const measure = async (installation: Measured, bases: Baselines): Promise<void> => {
  const { name, port, processes } = installation;
  print();
  memory(installation, 'idle');
  const api = new Api(`http://127.0.0.1:${port}`, API_KEY);
  const { key } = await api.source('unlinked');
  print();
  print(ACCEPT_HEAD);
  await measured(
    `${name}, single`,
    { port, path: '/v1/track', key, batch: false },
    processes,
    bases.single,
  );
  await measured(
    `${name}, batches of ${BATCH}`,
    { port, path: '/v1/batch', key, batch: true },
    processes,
    bases.batch,
  );
  print();
  print(
    heading(
      'end to end',
      'sent/s',
      'delivered/s',
      'missing',
      'repeated',
      'lag middle',
      'lag late',
      'CPU µs an event',
    ),
  );
  await endToEnd(installation, BATCH, 6 * SECONDS);
  await endToEnd(installation, 1, SECONDS);
  print();
  memory(installation, 'after the load');
  await installation.stop();
};

/** Measures events that are accepted, and delivered end to end, beside a bare server. */
export const measureEvents = async (only?: 'embedded' | 'kafka'): Promise<void> => {
  const bases = await baselines();
  if (only !== 'kafka') await measure(await startEmbedded(), bases);
  if (only !== 'embedded') await measure(await startDistributed(), bases);
};
