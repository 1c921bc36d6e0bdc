import { Registry } from 'prom-client';
import { GatewayStand } from '../testing/gateway.fixture';
import { send } from '../testing/http.fixture';
import { apiKey, organization, workspace } from '../testing/installation.fixture';

const reader = apiKey('read');
const registry = new Registry();
const stand = new GatewayStand();

beforeAll(async () => {
  await stand.configure(organization({ apiKeys: [reader.record] }), workspace());
  await stand.start({ registry });
});
afterAll(() => stand.stop());

const ask = (path: string, key = reader.key, method = 'GET') =>
  send(stand.url(path), { method, headers: { Authorization: `Bearer ${key}` } });

it('counts requests by declared path and class of the status, whatever their paths', async () => {
  await ask('/v1/pipelines');
  await ask('/v1/pipelines?limit=7');
  await ask('/v1/pipelines/pipeline00000001');
  await ask('/v1/pipelines/pipeline00000002');
  await ask('/v1/pipelines', 'unknown');
  await ask('/v1/pipelines/pipeline00000001', reader.key, 'PATCH');
  await ask('/somewhere/else');
  await ask('/%zz');
  const metrics = await registry.metrics();
  const counted = [...metrics.matchAll(/^penstock_api_requests_total\{(.*)\} (\d+)$/gm)];
  expect(Object.fromEntries(counted.map(([, labels, count]) => [labels, Number(count)]))).toEqual({
    'route="/v1/pipelines",status="2xx"': 2,
    'route="/v1/pipelines",status="4xx"': 1,
    'route="/v1/pipelines/:id",status="4xx"': 3,
    'route="none",status="4xx"': 2,
  });
});
