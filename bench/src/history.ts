import { spawn } from 'node:child_process';
import { once } from 'node:events';
import { join } from 'node:path';
import type { NewPipeline } from '@penstock/contracts';
import { PostgresEventStore } from '@penstock/event-sourcing';
import { PostgresMessageLog } from '@penstock/messaging';
import type { DataSource } from 'typeorm';
import { Api } from './api';
import { API_KEY, type Measured, startEmbedded, startGateway } from './installations';
import {
  connect,
  Loader,
  pipelineCreated,
  pipelineNamed,
  type State,
  WRITE_PIPELINES,
} from './loader';
import { percentile } from './percentile';
import { peakMiB, proportionalMiB } from './process-usage';
import { cells, heading, option, print } from './table';

const ROOT = join(__dirname, '..', '..');
const LONG_STREAM = 20_000;
const FACTS = option('facts', 200_000);
const FACTS_AN_OBJECT = 100;
const CHANGES = 300;
/** Each takes about five seconds. */
const MAX_ATTEMPTS = 120;

const renamed = (state: State | undefined) => {
  const { settings } = state as State & { settings: string };
  const version = (state?.version ?? 0) + 1;
  const data = { name: `Version ${version}`, settings };
  return { type: 'ConnectionUpdated', data, state: { ...state, ...data, version } };
};

/** A pipeline that is enabled and disabled in turns. */
const toggled = (created: NewPipeline) => (state: State | undefined) => {
  if (state === undefined) return pipelineCreated(created);
  const version = state.version + 1;
  const enabled = version % 2 === 1;
  const next = { ...state, version, enabled };
  return { type: 'PipelineStatusSet', data: { enabled }, state: next };
};

/** Durations of changes of each object in milliseconds, measured in turns. */
const changeInTurns = async (api: Api, ids: readonly string[]): Promise<number[][]> => {
  const times = ids.map((): number[] => []);
  for (let nth = 0; nth < CHANGES; nth += 1)
    for (const [index, id] of ids.entries()) {
      const startMs = performance.now();
      await api.put(`/v1/connections/${id}`, { name: `Change ${nth}` });
      times[index]?.push(performance.now() - startMs);
    }
  return times.map((each) => each.sort((one, other) => one - other));
};

/** Runs `audit:verify` as an operator does. */
const verify = async (databaseUrl: string): Promise<{ seconds: number; mostMiB: number }> => {
  const main = join(ROOT, 'services', 'pipeline-service', 'dist', 'audit-verify-main.js');
  const startMs = performance.now();
  const child = spawn(process.execPath, [main], {
    env: { PATH: process.env['PATH'] ?? '', DATABASE_URL: databaseUrl },
    stdio: 'inherit',
  });
  let mostMiB = 0;
  const sampling = setInterval(() => {
    if (child.exitCode === null) mostMiB = Math.max(mostMiB, peakMiB(child.pid ?? 0));
  }, 200);
  const [code] = (await once(child, 'exit')) as [number];
  clearInterval(sampling);
  if (code !== 0) throw new Error('audit:verify has found differences');
  return { seconds: (performance.now() - startMs) / 1_000, mostMiB };
};

const sourceNamed = async (api: Api, name: string): Promise<string> => (await api.source(name)).id;

const measureChanges = async (api: Api, loader: Loader, workspace: string): Promise<void> => {
  const [long, fresh] = [await sourceNamed(api, 'long'), await sourceNamed(api, 'fresh')];
  await loader.load(`connection-${long}`, workspace, LONG_STREAM, renamed);
  await api.put(`/v1/connections/${long}`, { name: 'Published' });
  const [longMs = [], freshMs = []] = await changeInTurns(api, [long, fresh]);
  const [one, other] = [percentile(longMs, 0.5), percentile(freshMs, 0.5)];
  print(heading('a change, median ms', `of ${LONG_STREAM} facts`, 'of a new object', 'ratio'));
  print(cells('PUT of a connection', one, other, (one / other).toFixed(2)));
};

/** @param destination the connection of the pipelines that are loaded. */
const loadPipelines = async (loader: Loader, workspace: string, destination: string) => {
  for (let nth = 0; nth < FACTS / FACTS_AN_OBJECT; nth += 1) {
    const id = `loaded${String(nth).padStart(10, '0')}`;
    const created = pipelineNamed(id, workspace, destination);
    await loader.load(`pipeline-${id}`, workspace, FACTS_AN_OBJECT, toggled(created));
  }
};

/** A change is answered once everything before it is published: until then it is 503. */
const untilPublished = async (api: Api): Promise<void> => {
  for (let attempt = 1; ; attempt += 1)
    try {
      await sourceNamed(api, 'behind all facts');
      return;
    } catch (error) {
      if (attempt >= MAX_ATTEMPTS) throw error;
    }
};

/** Leaves of the compacted topic what is there for ever. */
const compactLog = async (databaseUrl: string): Promise<void> => {
  const log = new PostgresMessageLog({ connection: { connectionString: databaseUrl } });
  await log.maintain({ compactsNow: true, tombstonesKeptMs: 0 });
  await log.close();
};

const measureLength = async (
  measured: Measured,
  source: DataSource,
  loader: Loader,
  workspace: string,
) => {
  const api = new Api(`http://127.0.0.1:${measured.port}`, API_KEY);
  const { id: destination } = await api.post<{ id: string }>('/v1/connections', {
    name: 'Loaded',
    role: 'Destination',
    connector: 'http',
    settings: { url: 'http://127.0.0.1:9/' },
  });
  const startMs = performance.now();
  await loadPipelines(loader, workspace, destination);
  const loadedPerSecond = FACTS / ((performance.now() - startMs) / 1_000);
  await source.query(WRITE_PIPELINES);
  await untilPublished(api);
  await compactLog(measured.databaseUrl);
  const gateway = await startGateway(measured.databaseUrl);
  const verified = await verify(measured.databaseUrl);
  print();
  print(
    heading(
      `${FACTS} facts`,
      'loaded/s',
      'gateway ready s',
      'gateway MiB',
      'verified s',
      'verified MiB at most',
    ),
  );
  print(
    cells(
      `${FACTS / FACTS_AN_OBJECT} objects`,
      loadedPerSecond,
      gateway.readyMs / 1_000,
      proportionalMiB(gateway.pid),
      verified.seconds,
      verified.mostMiB,
    ),
  );
  await gateway.stop();
};

/** Measures the cost of a long history: a change on a long stream, the start of a gateway, `audit:verify`. */
export const measureHistory = async (): Promise<void> => {
  const measured = await startEmbedded();
  const source = await connect(measured.databaseUrl);
  try {
    const api = new Api(`http://127.0.0.1:${measured.port}`, API_KEY);
    const { workspaces } = await api.get<{ workspaces: { id: string }[] }>('/v1/workspaces');
    const workspace = workspaces[0]?.id ?? '';
    const loader = new Loader(new PostgresEventStore(source.manager));
    await measureChanges(api, loader, workspace);
    await measureLength(measured, source, loader, workspace);
  } finally {
    await source.destroy();
    await measured.stop();
  }
};
