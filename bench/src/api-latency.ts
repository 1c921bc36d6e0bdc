import { cpus, loadavg } from 'node:os';
import { PARTITIONS, topics } from '@penstock/contracts';
import type { MessageLog } from '@penstock/messaging';
import { Pool } from 'pg';
import { Api, DEFINITION } from './api';
import { type Hop, type Moments, PUT_HOPS, spread, Trail } from './api-hops';
import { runLoad, startHelper, stop } from './child';
import { API_KEY, type Measured, startDistributed, startEmbedded } from './installations';
import type { LoadResult } from './load-generator';
import { timeLogAlone } from './log-alone';
import { ObjectRequests, type ObjectRequestsOptions } from './object-requests';
import { cpuMicrosEach, type Usage, usage } from './process-usage';
import { cells, heading, option, print } from './table';

/** Requests per second. */
const RATES = { GET: 200, PUT: 50 } as const;
/** Connections at a steady rate: more than are ever in use, unless the server falls behind. */
const RATE_CONNECTIONS = 64;
const WARM_UP = { seconds: 5, connections: 8 };
/** Number of pipelines, which are different keys of the log: requests for one pipeline are handled in sequence. */
const PIPELINES = 64;
/** Doubles the connections until the rate has grown by less than `gain` for `inVain` times. */
const SATURATION = { first: 4, most: 256, gain: 1.05, inVain: 2 };

type Method = 'GET' | 'PUT';
const METHODS: readonly Method[] = ['GET', 'PUT'];
/** Approximate size of the command of such a PUT. */
const COMMAND_BYTES = 1_500;

interface Target {
  readonly name: string;
  readonly port: number;
  readonly processes: Usage;
  readonly paths: readonly string[];
}

let runs = 0;
const requestsFor = (method: Method, { paths }: Target): ObjectRequestsOptions => {
  runs += 1;
  const body = method === 'PUT' ? { body: { ...DEFINITION, name: '' } } : {};
  return { method, paths, key: API_KEY, prefix: `bench-${runs}-`, ...body };
};

interface Run extends LoadResult {
  readonly connections: number;
  readonly cpu: string;
}

const load = async (
  { port, processes }: Target,
  objects: ObjectRequestsOptions,
  connections: number,
  seconds: number,
  rate?: number,
): Promise<Run> => {
  const before = usage(processes);
  const result = await runLoad({
    port,
    load: { objects },
    connections,
    seconds,
    ...(rate !== undefined && { rate }),
  });
  const cpu = cpuMicrosEach(before, usage(processes), result.requests);
  return { ...result, connections, cpu };
};

const warmUp = async (target: Target): Promise<void> => {
  for (const method of METHODS)
    await load(target, requestsFor(method, target), WARM_UP.connections, WARM_UP.seconds);
};

const perSecond = ({ requests, seconds }: LoadResult): number => requests / seconds;

/** Finds the highest rate by increasing the number of connections. */
const saturate = async (target: Target, method: Method, seconds: number): Promise<Run> => {
  let best = await load(target, requestsFor(method, target), SATURATION.first, seconds);
  let count = best.connections;
  for (let inVain = 0; inVain < SATURATION.inVain && count < SATURATION.most;) {
    count *= 2;
    const run = await load(target, requestsFor(method, target), count, seconds);
    inVain = perSecond(run) > perSecond(best) * SATURATION.gain ? 0 : inVain + 1;
    if (perSecond(run) > perSecond(best)) best = run;
  }
  return best;
};

const steadyRow = ({ name }: Target, method: Method, run: Run): void =>
  print(cells(`${method}, ${name}`, perSecond(run), run.p50Ms, run.p99Ms, run.cpu, run.failed));

const saturatedRow = ({ name }: Target, method: Method, run: Run, bare?: Run): void =>
  print(
    cells(
      `${method}, ${name}`,
      perSecond(run),
      bare === undefined ? '1' : (perSecond(run) / perSecond(bare)).toFixed(3),
      run.connections,
      run.p50Ms,
      run.p99Ms,
      run.cpu,
      run.failed,
    ),
  );

const hopTable = (title: string, hops: readonly Hop[], moments: readonly Moments[]): void => {
  print();
  print(heading(title, 'mean ms', 'p50 ms', 'p99 ms'));
  const total: Hop = { title: 'whole', of: ({ due, answered }) => answered - due };
  for (const hop of [...hops, total]) {
    const { mean, p50, p99 } = spread(moments.map(hop.of));
    print(cells(hop.title, mean, p50, p99));
  }
};

const steady = (target: Target, objects: ObjectRequestsOptions, seconds: number): Promise<Run> =>
  load(target, objects, RATE_CONNECTIONS, seconds, RATES[objects.method]);

/** Measures PUTs at a steady rate, and their time by hop. */
const steadyChanges = async (
  target: Target,
  trail: Trail,
  seconds: number,
): Promise<{ readonly run: Run; readonly moments: readonly Moments[] }> => {
  const objects = requestsFor('PUT', target);
  const run = await steady(target, objects, seconds);
  const requests = new ObjectRequests(objects);
  return { run, moments: await trail.moments(run.exchanges, (nth) => requests.id(nth)) };
};

/** Runs GETs. @throws Error when anything was written to the log meanwhile. */
const writingNothing = async <T>(log: MessageLog, work: () => Promise<T>): Promise<T> => {
  const ends = async (): Promise<string> => {
    const of = topics(PARTITIONS.embedded).map(async ({ name }) => [
      name,
      await log.endOffsets(name),
    ]);
    return JSON.stringify(await Promise.all(of));
  };
  const before = await ends();
  const done = await work();
  const after = await ends();
  if (after !== before) throw new Error(`GETs have written to the log: ${before}, then ${after}`);
  return done;
};

const STEADY_HEAD = heading(
  `${RATES.GET} GETs or ${RATES.PUT} PUTs a second, from when each was due`,
  'answered/s',
  'p50 ms',
  'p99 ms',
  'CPU µs a request',
  'failed',
);
const SATURATED_HEAD = heading(
  'as many as are answered',
  'requests/s',
  'of the bare route',
  'connections',
  'p50 ms',
  'p99 ms',
  'CPU µs a request',
  'failed',
);

type Best = Readonly<Record<Method, Run>>;

/** Measures a bare Nest route that answers the same bytes, in the same run. */
const measureBare = async (answer: string, paths: readonly string[], seconds: number) => {
  const server = await startHelper('bare-api-server', answer);
  const processes = new Map([['bare', server.process.pid ?? 0]]);
  const target = { name: 'bare Nest route', port: server.port, processes, paths };
  await warmUp(target);
  print();
  print(STEADY_HEAD);
  for (const method of METHODS) {
    steadyRow(target, method, await steady(target, requestsFor(method, target), seconds));
  }
  const best: Best = {
    GET: await saturate(target, 'GET', seconds / 4),
    PUT: await saturate(target, 'PUT', seconds / 4),
  };
  print();
  print(SATURATED_HEAD);
  for (const method of METHODS) saturatedRow(target, method, best[method]);
  await stop(server.process);
  return best;
};

const aloneRow = (title: string, values: readonly number[]): void => {
  const { mean, p50, p99 } = spread(values);
  print(cells(title, mean, p50, p99));
};

/** Measures the log alone, without other load. */
const measureAlone = async (log: MessageLog, seconds: number): Promise<void> => {
  const { acknowledged, received } = await timeLogAlone(log, COMMAND_BYTES, RATES.PUT, seconds / 2);
  print();
  print(heading('alone, with nothing else going on', 'mean ms', 'p50 ms', 'p99 ms'));
  aloneRow('log: append → acknowledged', acknowledged);
  aloneRow('log: append → in the hands of a reader', received);
};

const makePipelines = async (api: Api): Promise<readonly string[]> => {
  const { destination, pipeline } = await api.route('api', 'http://127.0.0.1:9/', 1);
  const ids = [pipeline];
  while (ids.length < PIPELINES) ids.push(await api.pipeline(`api ${ids.length}`, destination));
  return ids;
};

const machine = (): string =>
  `${cpus().length} cores, load average ${loadavg()
    .map((average) => average.toFixed(2))
    .join(' ')}`;

/** @param bare result of the bare route; absent: measured here, beside the idle installation. */
const measure = async (
  installation: Measured,
  seconds: number,
  bare: Best | undefined,
): Promise<Best> => {
  const { name, port, processes, databaseUrl } = installation;
  const api = new Api(`http://127.0.0.1:${port}`, API_KEY);
  const ids = await makePipelines(api);
  const paths = ids.map((id) => `/v1/pipelines/${id}`);
  const answer = JSON.stringify(await api.get(paths[0] ?? ''));
  const base = bare ?? (await measureBare(answer, paths, seconds));

  const target = { name, port, processes, paths };
  const log = installation.openLog();
  const pool = new Pool({ connectionString: databaseUrl, max: 1 });
  print();
  print(`${name}: ${machine()}`);
  await warmUp(target);
  const get = await writingNothing(log, () =>
    steady(target, requestsFor('GET', target), 2 * seconds),
  );
  const put = await steadyChanges(target, await Trail.from(log, pool), 2 * seconds);
  print();
  print(STEADY_HEAD);
  steadyRow(target, 'GET', get);
  steadyRow(target, 'PUT', put.run);
  hopTable(`PUT, ${name}, by hop`, PUT_HOPS, put.moments);
  await measureAlone(log, seconds);
  print();
  print(SATURATED_HEAD);
  const most = {
    GET: await writingNothing(log, () => saturate(target, 'GET', seconds / 4)),
    PUT: await saturate(target, 'PUT', seconds / 4),
  };
  for (const method of METHODS) saturatedRow(target, method, most[method], base[method]);
  await log.close();
  await pool.end();
  print();
  print(`${name}, afterwards: ${machine()}`);
  await installation.stop();
  return base;
};

const ABOUT = `GET and PUT of ${PIPELINES} pipelines in turn: GETs are answered by the gateway, which must leave nothing on the log; PUTs
go through gateway, log and pipeline service. Hops come from what these leave behind: the time in a command, those of the records on the log and of the stored reply, in whole milliseconds.`;

/** Measures the latency of the API at a moderate rate, its highest rate, and the time of PUTs by hop. */
export const measureApi = async (only: string | undefined): Promise<void> => {
  const seconds = option('seconds', 10);
  print(ABOUT);
  let bare: Best | undefined;
  if (only !== 'kafka') bare = await measure(await startEmbedded(), seconds, bare);
  if (only !== 'embedded') await measure(await startDistributed(), seconds, bare);
};
