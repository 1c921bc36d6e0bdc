import { PostgresEventStore } from '@penstock/event-sourcing';
import type { DataSource } from 'typeorm';
import { Api, DEFINITION } from './api';
import { API_KEY, type Measured, startEmbedded, startGateway } from './installations';
import { connect, Loader, pipelineCreated, pipelineNamed, WRITE_PIPELINES } from './loader';
import { percentile } from './percentile';
import { proportionalMiB } from './process-usage';
import { cells, heading, print } from './table';

const WORKSPACES = 1_000;
const PIPELINES_EACH = 9;
/** Of each kind of request. */
const REQUESTS = 500;

/** What the changes would have left in the view of workspaces. */
const WRITE_WORKSPACES = `
  INSERT INTO penstock.workspaces (id, organization, deleted, state)
  SELECT state->>'id', state->>'organization', false, state
  FROM penstock.facts WHERE type = 'WorkspaceCreated' ON CONFLICT (id) DO NOTHING`;

const workspaceId = (nth: number): string => `tenant${String(nth).padStart(10, '0')}`;

const loadWorkspaces = async (loader: Loader, organization: string, destination: string) => {
  for (let nth = 0; nth < WORKSPACES; nth += 1) {
    const id = workspaceId(nth);
    const data = { id, organization, name: `Tenant ${nth}` };
    const state = { ...data, kind: 'workspace', version: 1, deleted: false };
    await loader.load(`workspace-${id}`, id, 1, () => ({ type: 'WorkspaceCreated', data, state }));
    for (let other = 0; other < PIPELINES_EACH; other += 1) {
      const pipeline = `${id}p${other}`;
      const created = pipelineCreated(pipelineNamed(pipeline, id, destination));
      await loader.load(`pipeline-${pipeline}`, id, 1, () => created);
    }
  }
};

const timed = async (request: (nth: number) => Promise<unknown>): Promise<number[]> => {
  const times: number[] = [];
  for (let nth = 0; nth < REQUESTS; nth += 1) {
    const startMs = performance.now();
    await request(nth);
    times.push(performance.now() - startMs);
  }
  return times.sort((one, other) => one - other);
};

const report = (title: string, times: readonly number[]): void => {
  print(cells(title, percentile(times, 0.5), percentile(times, 0.99)));
};

const measureRequests = async (api: Api, address: string, destination: string): Promise<void> => {
  print(
    heading(`with ${WORKSPACES * PIPELINES_EACH} pipelines, one after another`, 'p50 ms', 'p99 ms'),
  );
  const create = () =>
    api.post('/v1/pipelines', {
      connection: destination,
      target: 'Event',
      eventType: 'send_values',
      name: 'Another',
      ...DEFINITION,
    });
  report('create a pipeline', await timed(create));
  report(
    'list the pipelines of a workspace',
    await timed((nth) => {
      const tenant = new Api(address, API_KEY, workspaceId((nth * 7) % WORKSPACES));
      return tenant.get('/v1/pipelines');
    }),
  );
  report('list the workspaces', await timed(() => api.get('/v1/workspaces')));
};

const measureStart = async (measured: Measured): Promise<void> => {
  const gateway = await startGateway(measured.databaseUrl);
  print();
  print(heading('start', 'ready s', 'MiB'));
  print(cells('a gateway', gateway.readyMs / 1_000, proportionalMiB(gateway.pid)));
  await gateway.stop();
};

const load = async (source: DataSource, api: Api, destination: string): Promise<void> => {
  const { id: organization } = await api.get<{ id: string }>('/v1/organization');
  const loader = new Loader(new PostgresEventStore(source.manager));
  await loadWorkspaces(loader, organization, destination);
  await source.query(WRITE_WORKSPACES);
  await source.query(WRITE_PIPELINES);
};

/** What an installation with many workspaces costs: a pipeline more, lists, the start of a gateway. */
export const measureTenants = async (): Promise<void> => {
  const measured = await startEmbedded();
  const source = await connect(measured.databaseUrl);
  try {
    const address = `http://127.0.0.1:${measured.port}`;
    const { workspaces } = await new Api(address, API_KEY).get<{ workspaces: { id: string }[] }>(
      '/v1/workspaces',
    );
    const api = new Api(address, API_KEY, workspaces[0]?.id);
    const { id: destination } = await api.post<{ id: string }>('/v1/connections', {
      name: 'Loaded',
      role: 'Destination',
      connector: 'http',
      settings: { url: 'http://127.0.0.1:9/' },
    });
    await load(source, api, destination);
    await measureRequests(api, address, destination);
    await measureStart(measured);
  } finally {
    await source.destroy();
    await measured.stop();
  }
};
