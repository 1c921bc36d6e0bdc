import { Refusal } from '@penstock/contracts';
import { GatewayStand } from '../testing/gateway.fixture';
import { send } from '../testing/http.fixture';
import { apiKey, organization, workspace } from '../testing/installation.fixture';
import { RawRequest } from '../testing/raw-request.fixture';

const writer = apiKey('write');
const stand = new GatewayStand();

beforeAll(async () => {
  await stand.configure(organization({ apiKeys: [writer.record] }), workspace());
  await stand.start({ apiBodyBytes: 100_000 });
  stand.pipelineService.answer('SetSchedulePeriod', new Refusal('PipelineNotRunnable'));
});
afterAll(() => stand.stop());

const headers = { Authorization: `Bearer ${writer.key}`, 'Content-Type': 'application/json' };
const PATH = '/v1/pipelines/object0000000001/schedule';
const put = (bytes: number) =>
  send(stand.url(PATH), { method: 'PUT', headers, body: '{"period":null}'.padEnd(bytes) });

it('accepts bodies while the share has room, then answers 503', async () => {
  expect(await put(100_000)).toMatchObject({ status: 422 });
  expect(await put(100_001)).toMatchObject({
    status: 503,
    headers: { 'retry-after': expect.any(String) as string },
  });
  expect(await put(100_000)).toMatchObject({ status: 422 });
});

it('releases the bytes of a sender that disconnects', async () => {
  const { port } = new URL(stand.url('/'));
  const head = Object.entries({ ...headers, 'Content-Length': '100000' });
  const request = await RawRequest.begin(
    Number(port),
    '/v1/connections/object0000000001/links/object0000000002',
    head.map((line) => line.join(': ')),
  );
  request.write(Buffer.alloc(60_000, ' '));
  await answered(503);
  request.destroy();
  await answered(422);
});

/** Repeats the request until it is answered with this status. */
const answered = async (status: number): Promise<void> => {
  const deadlineMs = Date.now() + 10_000;
  for (let last = 0; last !== status; last = (await put(60_000)).status)
    if (Date.now() > deadlineMs) throw new Error(`never answered ${String(status)}`);
};
