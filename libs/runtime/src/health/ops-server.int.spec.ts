import { Registry } from 'prom-client';
import { CannotStart } from '../start/cannot-start';
import { Health } from './health';
import { type OpsServer, startOpsServer } from './ops-server';

let health: Health;
let registry: Registry;
let servers: OpsServer[];

beforeEach(() => {
  health = new Health();
  registry = new Registry();
  servers = [];
});

afterEach(() => Promise.all(servers.map((server) => server.close())));

const start = async (port = 0): Promise<OpsServer> => {
  const server = await startOpsServer({ port, health, registry });
  servers.push(server);
  return server;
};

const request = async (path: string, init: RequestInit = {}) =>
  fetch(`http://127.0.0.1:${(await start()).port}${path}`, init);

it('answers whether the process runs and can work', async () => {
  const { port } = await start();
  const get = (path: string) => fetch(`http://127.0.0.1:${port}${path}`);
  expect((await get('/healthz')).status).toBe(200);
  expect((await get('/readyz')).status).toBe(200);
  health.addCheck('log', () => Promise.reject(new Error('away')));
  const notReady = await get('/readyz?verbose');
  expect([notReady.status, await notReady.json()]).toEqual([503, { notReady: ['log'] }]);
  expect((await get('/healthz')).status).toBe(200);
});

it("gives the process's metrics to Prometheus, on a second start too", async () => {
  await start();
  const answer = await request('/metrics');
  expect(answer.headers.get('content-type')).toContain('text/plain; version=0.0.4');
  expect(await answer.text()).toMatch(/^process_cpu_user_seconds_total [\d.e-]+$/m);
});

it('knows no other path and no other method', async () => {
  expect((await request('/')).status).toBe(404);
  const refused = await request('/healthz', { method: 'POST' });
  expect([refused.status, refused.headers.get('allow')]).toEqual([405, 'GET, HEAD']);
  expect((await request('/healthz', { method: 'HEAD' })).status).toBe(200);
});

it('says in one line that its port is taken', async () => {
  const { port } = await start();
  await expect(start(port)).rejects.toThrow(CannotStart);
  await expect(start(port)).rejects.toThrow(/^port \d+ on 127\.0\.0\.1 .*PENSTOCK_OPS_PORT/);
});

it('closes while a connection is kept alive', async () => {
  const server = await start();
  await fetch(`http://127.0.0.1:${server.port}/healthz`);
  await server.close();
  servers = [];
  await expect(fetch(`http://127.0.0.1:${server.port}/healthz`)).rejects.toThrow('fetch failed');
});
