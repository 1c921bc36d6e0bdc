import { spawn } from 'node:child_process';
import { once } from 'node:events';
import { join } from 'node:path';
import type { ConnectionId, NewPipeline, PipelineId, WorkspaceId } from '@penstock/contracts';
import { FactRow, PostgresEventStore, ReplyRow } from '@penstock/event-sourcing';
import { PostgresMessageLog } from '@penstock/messaging';
import { DataSource } from 'typeorm';
import { Api } from './api';
import { API_KEY, type Measured, startEmbedded, startGateway } from './installations';
import { percentile } from './percentile';
import { peakMiB, proportionalMiB } from './process-usage';
import { cells, heading, option, print } from './table';

const ROOT = join(__dirname, '..', '..');
const LONG_STREAM = 20_000;
const FACTS = option('facts', 200_000);
const FACTS_AN_OBJECT = 100;
const FACTS_AN_APPEND = 500;
const CHANGES = 300;

interface State {
  readonly version: number;
}

const connect = (url: string): Promise<DataSource> =>
  new DataSource({ type: 'postgres', url, entities: [FactRow, ReplyRow] }).initialize();

/** Writes facts past the services, which publish them: on streams that no view is made of, or whose view a change mends. */
class Loader {
  private commands = 0;

  constructor(
    private readonly store: PostgresEventStore,
    private readonly owner: string,
  ) {}

  /** @param next what follows on a state: the fact, and the state after it. */
  async load(
    stream: string,
    count: number,
    next: (state: State | undefined) => { type: string; data: object; state: State },
  ): Promise<void> {
    const [known] = await this.store.read<State>([stream]);
    let { state, version } = known ?? { state: undefined, version: 0 };
    for (let left = count; left > 0; left -= FACTS_AN_APPEND) {
      const facts = Array.from({ length: Math.min(left, FACTS_AN_APPEND) }, () => {
        const fact = next(state);
        ({ state } = fact);
        return fact;
      });
      await this.append(stream, version, facts);
      version += facts.length;
    }
  }

  private async append(
    stream: string,
    version: number,
    facts: readonly { type: string; data: object; state: object }[],
  ): Promise<void> {
    this.commands += 1;
    const commandId = `load-${this.commands}`;
    await this.store.append({
      streams: [{ stream, owner: this.owner, version, facts }],
      cause: { commandId, actor: 'bench', requestId: commandId },
      reply: {},
      project: () => Promise.resolve(),
    });
  }
}

const renamed = (state: State | undefined) => {
  const { settings } = state as State & { settings: string };
  const version = (state?.version ?? 0) + 1;
  const data = { name: `Version ${version}`, settings };
  return { type: 'ConnectionUpdated', data, state: { ...state, ...data, version } };
};

/** A pipeline that is enabled and disabled in turns. */
const toggled = (created: NewPipeline) => (state: State | undefined) => {
  if (state === undefined) {
    const first = { ...created, kind: 'pipeline', version: 1, deleted: false };
    return { type: 'PipelineCreated', data: created, state: first };
  }
  const version = state.version + 1;
  const enabled = version % 2 === 1;
  const next = { ...state, version, enabled };
  return { type: 'PipelineStatusSet', data: { enabled }, state: next };
};

/** What the changes would have left in the view of pipelines. */
const WRITE_VIEW = `
  INSERT INTO penstock.pipelines (id, workspace, connection, enabled, state)
  SELECT DISTINCT ON (stream) state->>'id', owner, state->>'connection', (state->>'enabled')::boolean, state
  FROM penstock.facts WHERE stream LIKE 'pipeline-%' ORDER BY stream, version DESC
  ON CONFLICT (id) DO NOTHING`;

/** Milliseconds of changes of each, in turns. */
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

/** The check as an operator runs it. */
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

const FILTER = {
  logical: 'and',
  conditions: [{ property: 'event', operator: 'is', values: ['Order Completed'] }],
};

/** Of about a kilobyte. */
const pipelineNamed = (id: string, workspace: string, connection: string): NewPipeline => ({
  id: id as PipelineId,
  workspace: workspace as WorkspaceId,
  connection: connection as ConnectionId,
  target: 'Event',
  eventType: 'send_event',
  name: `Pipeline ${id}`,
  enabled: true,
  filter: JSON.stringify(FILTER),
  transformation: null,
  outSchema: JSON.stringify({
    kind: 'object',
    properties: [{ name: 'text', type: { kind: 'string' } }],
  }).padEnd(700),
});

const sourceNamed = async (api: Api, name: string): Promise<string> => (await api.source(name)).id;

const measureChanges = async (api: Api, loader: Loader): Promise<void> => {
  const [long, fresh] = [await sourceNamed(api, 'long'), await sourceNamed(api, 'fresh')];
  await loader.load(`connection-${long}`, LONG_STREAM, renamed);
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
    await loader.load(`pipeline-${id}`, FACTS_AN_OBJECT, toggled(created));
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
  await source.query(WRITE_VIEW);
  await sourceNamed(api, 'behind all facts');
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

/** What a long history costs: a change on a long stream, the start of a gateway, the check of all facts. */
export const measureHistory = async (): Promise<void> => {
  const measured = await startEmbedded();
  const source = await connect(measured.databaseUrl);
  try {
    const api = new Api(`http://127.0.0.1:${measured.port}`, API_KEY);
    const { workspaces } = await api.get<{ workspaces: { id: string }[] }>('/v1/workspaces');
    const workspace = workspaces[0]?.id ?? '';
    const loader = new Loader(new PostgresEventStore(source.manager), workspace);
    await measureChanges(api, loader);
    await measureLength(measured, source, loader, workspace);
  } finally {
    await source.destroy();
    await measured.stop();
  }
};
