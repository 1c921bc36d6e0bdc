import { ApiClient } from './harness/api-client';
import { EmbeddedInstallation } from './harness/embedded-installation';
import { type Flow, makeFlow } from './harness/flow';
import { breakOff, type RawAnswer, type RawRequest, sendRaw } from './harness/raw-request';
import { Receiver } from './harness/receiver';
import { until } from './harness/until';
import { APPLICATIONS, PREVIEWS, UPDATES } from './bad-input/application-rows';
import { BODIES, CONNECTIONS, KEYS, PIPELINES, ROUTES } from './bad-input/api-rows';
import { ADMINISTRATION, RUNS } from './bad-input/administration-rows';
import { eventOf, gzip, INTAKE, LIMIT, track } from './bad-input/intake-rows';
import { type ErrorBody, expectRefused, json } from './bad-input/refusal';
import { WAREHOUSE } from './bad-input/warehouse-rows';

jest.setTimeout(120_000);

const FILTER = {
  logical: 'and',
  conditions: [{ property: 'event', operator: 'is', values: ['Good'] }],
};

let installation: EmbeddedInstallation;
let receiver: Receiver;
/** A flow, and an application that has users. */
let flow: Flow & { readonly application: string };

beforeAll(async () => {
  [installation, receiver] = await Promise.all([EmbeddedInstallation.start(), Receiver.open()]);
  const mapping = 'map("id", messageId)';
  const api = new ApiClient(installation.address, installation.apiKey);
  const application = await api.createConnection({
    name: 'Users',
    role: 'Source',
    connector: 'dummy',
    settings: {},
  });
  const made = await makeFlow(installation, { url: receiver.url, filter: FILTER, mapping });
  flow = { ...made, application };
});

afterAll(async () => {
  await installation.destroy();
  await receiver.close();
});

/** What stands for an id in a table: it is known only when the table is run. */
const filled = (text: string): string =>
  text.replace(/\{(\w+)\}/g, (whole, name: string) =>
    name in flow ? flow[name as keyof typeof flow] : whole,
  );

describe.each([
  { about: 'routes', rows: ROUTES },
  { about: 'keys', rows: KEYS },
  { about: 'bodies', rows: BODIES },
  { about: 'connections', rows: CONNECTIONS },
  { about: 'pipelines', rows: PIPELINES },
  { about: 'runs', rows: RUNS },
  { about: 'administration', rows: ADMINISTRATION },
  { about: 'updates of connections', rows: UPDATES },
  { about: 'applications', rows: APPLICATIONS },
  { about: 'previews', rows: PREVIEWS },
  { about: 'the warehouse', rows: WAREHOUSE },
])('the API refuses, about $about', ({ rows }) => {
  it.each(rows)('%s', async (...[, call, { headers, body, ...request }, refused]) => {
    const [method = '', path = ''] = filled(call).split(' ');
    const answer = await sendRaw(`${installation.address}${path}`, {
      ...request,
      ...(body !== undefined && { body: typeof body === 'string' ? filled(body) : body }),
      method,
      headers: { Authorization: `Bearer ${installation.apiKey}`, ...headers },
    });
    expectRefused(answer, refused);
  });
});

const atIntake = (call: string, { headers, ...request }: RawRequest): Promise<RawAnswer> => {
  const [method = '', path = ''] = filled(call).split(' ');
  return sendRaw(`${installation.address}${path}`, {
    ...request,
    method,
    headers: { Authorization: `Bearer ${flow.writeKey}`, ...headers },
  });
};

describe('intake refuses', () => {
  it.each(INTAKE)('%s', async (...[, call, request, refused]) => {
    const answer = await atIntake(call, request);
    expectRefused(answer, refused);
    const { code, message, error } = JSON.parse(answer.text) as ErrorBody & ErrorBody['error'];
    expect({ code, message }).toEqual({ code: error.code, message: error.message });
  });
});

describe('intake takes', () => {
  const event = JSON.stringify(track());
  const basic = (): string => `Basic ${Buffer.from(`${flow.writeKey}:`).toString('base64')}`;

  it.each<[title: string, call: string, request: () => RawRequest, accepted: number]>([
    ['an event of 32,768 bytes', 'POST /v1/events', () => ({ body: eventOf(32_768) }), 1],
    ['gzip', 'POST /v1/events', () => gzip(event), 1],
    [
      'chunks',
      'POST /v1/events',
      () => ({ chunks: Array.from(event, (each) => Buffer.from(each)) }),
      1,
    ],
    [
      'any media type',
      'POST /v1/events',
      () => ({ headers: { 'Content-Type': 'image/png' }, body: event }),
      1,
    ],
    ['4 MiB', 'POST /v1/events', () => ({ body: event.padEnd(LIMIT) }), 1],
    ['an empty batch', 'POST /v1/batch', () => json({ batch: [] }), 0],
    ['unknown members', 'POST /v1/events', () => json(track({ color: 'red' })), 1],
    [
      'the key as the user of Basic',
      'POST /v1/events',
      () => ({ headers: { Authorization: basic() }, body: event }),
      1,
    ],
    [
      'the key in the query',
      'POST /v1/events?writeKey={writeKey}',
      () => ({ headers: { Authorization: '' }, body: event }),
      1,
    ],
    [
      'the key in the body',
      'POST /v1/events',
      () => ({
        headers: { Authorization: '' },
        body: JSON.stringify(track({ writeKey: flow.writeKey })),
      }),
      1,
    ],
    [
      'a webhook',
      'POST /v1/webhooks/{writeKey}',
      () => ({ headers: { Authorization: '' }, body: event }),
      1,
    ],
  ])('%s', async (...[, call, request, accepted]) => {
    const answer = await atIntake(call, request());
    expect({ status: answer.status, ...(JSON.parse(answer.text) as object) }).toEqual({
      status: 200,
      accepted,
    });
  });
});

it('accepts the valid events of a batch and names the others', async () => {
  const batch = [
    track({ event: 'Good', messageId: 'first' }),
    track({ event: '', messageId: 'second' }),
    5,
    eventOf(32_769),
  ];
  const body = `{"batch":[${batch.map((each) => (typeof each === 'string' ? each : JSON.stringify(each))).join()}]}`;
  const answer = await atIntake('POST /v1/batch', { body });
  expect(answer.status).toBe(200);
  expect(JSON.parse(answer.text)).toEqual({
    accepted: 1,
    rejected: [
      {
        index: 1,
        messageId: 'second',
        code: 'InvalidEvent',
        path: '/event',
        message: expect.any(String) as string,
      },
      { index: 2, code: 'InvalidEvent', path: '', message: expect.any(String) as string },
      { index: 3, code: 'EventTooLarge', path: '', message: expect.any(String) as string },
    ],
  });
});

it('goes on delivering after requests that broke off, and delivers nothing of what it refused', async () => {
  const head = `POST /v1/events HTTP/1.1\r\nHost: x\r\nAuthorization: Bearer ${flow.writeKey}\r\n`;
  await breakOff(installation.address, `${head}Content-Length: 1000\r\n\r\n{"type":"track"`);
  await breakOff(installation.address, `${head}Transfer-Encoding: chunked\r\n\r\n5\r\n{"typ`);
  const answer = await atIntake(
    'POST /v1/events',
    json(track({ event: 'Good', messageId: 'last' })),
  );
  expect(answer.status).toBe(200);
  await until('the good event arrives', () =>
    receiver.delivered.some(({ body }) => body['id'] === 'last'),
  );
  expect(
    receiver.delivered.filter(({ body }) => !['first', 'last'].includes(String(body['id']))),
  ).toEqual([]);
});
