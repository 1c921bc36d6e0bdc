import { CONTROLLERS } from '../api-gateway.module';
import { operationsOf } from '../openapi/operations';
import { GatewayStand } from '../testing/gateway.fixture';
import { jsonOf, send } from '../testing/http.fixture';
import { apiKey, organization, workspace } from '../testing/installation.fixture';

const admin = apiKey('admin', { workspace: null });
const stand = new GatewayStand();

beforeAll(async () => {
  await stand.configure(organization({ apiKeys: [admin.record] }), workspace());
  await stand.start();
});
afterAll(() => stand.stop());

const ROUTES = operationsOf(CONTROLLERS).flatMap(({ method, path, description }) =>
  description === undefined
    ? []
    : [[method, path.replace(/\{\w+\}/g, 'object0000000001')] as const],
);

it.each(ROUTES)('%s %s refuses an unknown parameter', async (method, path) => {
  const headers = { Authorization: `Bearer ${admin.key}` };
  const answer = await send(stand.url(`${path}?limits=5`), { method, headers });
  expect(jsonOf(answer)).toMatchObject({
    error: { code: 'BadRequest', details: [{ path: '/limits', message: 'unknown parameter' }] },
  });
});
