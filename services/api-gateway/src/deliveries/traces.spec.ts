import { type Queries, Refusal } from '@penstock/contracts';
import { GatewayStand } from '../testing/gateway.fixture';
import { type Answered, jsonOf, send } from '../testing/http.fixture';
import { apiKey, organization, workspace } from '../testing/installation.fixture';

const reader = apiKey('read');
const writer = apiKey('write', { id: 'key-writer' as never });
const admin = apiKey('admin', { id: 'key-admin' as never });
const stand = new GatewayStand();
const { pipelineService } = stand;

const TRACE = {
  event: {
    place: 'My44MTI',
    messageId: 'm/1',
    form: 'Readable',
    reason: '',
    connection: 'source000000001',
    acceptedAt: '2026-03-01T09:30:00.000Z',
    acceptedBy: { gateway: 'aB3_-90x', route: '/v1/webhooks/:key' },
    event: '{"properties":{"n":12345678901234567890}}',
    isSuppressed: false,
  },
  duplicates: [{ place: 'My44MTM', at: '2026-03-01T09:30:01.000Z', isDifferent: true }],
  others: [],
  pipelines: [
    {
      pipeline: 'pipeline0000001',
      pipelineVersion: 3,
      connection: 'destination0001',
      state: 'Rejected',
      step: 'Finalize',
      code: '400',
      reason: 'answered 400: no',
      endedAt: '2026-03-01T09:30:02.000Z',
      nextAttemptAt: null,
      delivery: '4Gd1oZtWm0bqPnA6TzXk9',
      filter: {
        logical: 'and',
        conditions: [
          {
            property: 'properties.n',
            operator: 'is',
            values: ['1'],
            seen: '18446744073709551616',
            holds: false,
          },
          { property: 'properties.m', operator: 'exists', values: [], seen: null, holds: false },
        ],
      },
      transformation: {
        kind: 'Mapping',
        output: '{"n":12345678901234567890}',
        failed: null,
        error: '',
        console: '',
      },
      attemptCount: 25,
      attempts: [
        {
          attempt: 1,
          at: '2026-03-01T09:30:01.000Z',
          isSuccessful: false,
          status: 503,
          reason: 'answered 503',
          nextAttemptAt: '2026-03-01T09:30:02.000Z',
        },
      ],
    },
  ],
  isCut: false,
  unknown: [],
  kept: { messageIdHours: 24, eventDays: 30, outcomeDays: 30, deadLetterDays: 14 },
  isMasked: false,
} as unknown as Queries['TraceEvent']['out'];

beforeAll(async () => {
  await stand.configure(
    organization({ apiKeys: [reader.record, writer.record, admin.record] }),
    workspace(),
  );
  await stand.start();
});
afterAll(() => stand.stop());
beforeEach(() => {
  pipelineService.calls.length = 0;
  pipelineService.answer('TraceEvent', TRACE);
});

const ask = (path: string, { key } = reader): Promise<Answered> =>
  send(stand.url(path), { method: 'GET', headers: { Authorization: `Bearer ${key}` } });

it('is asked for with values by scope write and above, without by scope read', async () => {
  for (const key of [reader, writer, admin])
    expect((await ask('/v1/events/m-1/trace', key)).status).toBe(200);
  expect(pipelineService.calls.map(({ name, in: input }) => [name, input])).toEqual([
    ['TraceEvent', { messageId: 'm-1', withValues: false }],
    ['TraceEvent', { messageId: 'm-1', withValues: true }],
    ['TraceEvent', { messageId: 'm-1', withValues: true }],
  ]);
});

it('decodes the message id and takes every parameter', async () => {
  const query = 'connection=c&pipeline=p&anonymousId=a%20b&at=2026-03-01T09:30:00Z';
  expect((await ask(`/v1/events/m%2F1%20%C3%A9/trace?${query}`)).status).toBe(200);
  expect(pipelineService.calls[0]?.in).toEqual({
    messageId: 'm/1 é',
    connection: 'c',
    pipeline: 'p',
    anonymousId: 'a b',
    at: '2026-03-01T09:30:00.000Z',
    withValues: false,
  });
});

it('is shown with every digit, and with the number of attempts that are not listed', async () => {
  const { text } = await ask('/v1/events/m%2F1/trace', writer);
  expect(text).toContain('"event":{"properties":{"n":12345678901234567890}}');
  expect(text).toContain('"seen":18446744073709551616');
  expect(text).toContain('"output":{"n":12345678901234567890}');
  const answered = jsonOf(await ask('/v1/events/m%2F1/trace', writer)) as object;
  expect(answered).toMatchObject({
    event: { ...TRACE.event, event: {} },
    duplicates: TRACE.duplicates,
    pipelines: [
      {
        pipelineVersion: 3,
        filter: { conditions: [{}, { seen: null, holds: false }] },
        transformation: { kind: 'Mapping', isRecomputed: true },
        attempts: TRACE.pipelines[0]?.attempts,
        attemptCount: 25,
        omittedAttempts: 24,
      },
    ],
    kept: TRACE.kept,
    isMasked: false,
  });
});

it.each([
  ['?anonymousId=a', '/anonymousId'],
  ['?connection=c&at=2026-03-01T09:30:00Z', '/at'],
  ['?connection=c&anonymousId=a&at=yesterday', '/at'],
  [`?connection=${'x'.repeat(101)}`, '/connection'],
  [`?pipeline=${'x'.repeat(101)}`, '/pipeline'],
  [`?connection=c&anonymousId=${'x'.repeat(1_001)}`, '/anonymousId'],
  ['?pipeline=%00', '/pipeline'],
  ['?connection=a&connection=b', '/connection'],
  ['?limit=1', '/limit'],
  ['?withValues=true', '/withValues'],
])('%s is refused with %s', async (query, path) => {
  const answered = await ask(`/v1/events/m-1/trace${query}`);
  expect(answered.status).toBe(400);
  expect(jsonOf(answered)).toMatchObject({ error: { code: 'BadRequest', details: [{ path }] } });
  expect(pipelineService.calls).toEqual([]);
});

it('takes parameters at their limits', async () => {
  const text = 'x'.repeat(100);
  const query = `connection=${text}&pipeline=${text}&anonymousId=${'é'.repeat(1_000)}`;
  expect((await ask(`/v1/events/m-1/trace?${query}`)).status).toBe(200);
});

it('of an event that does not exist is answered 404, with what else may be asked', async () => {
  const message = 'event does not exist, or is not known any more';
  pipelineService.answer('TraceEvent', new Refusal('EventNotExist', { message }));
  const answered = await ask('/v1/events/m-1/trace');
  expect(answered.status).toBe(404);
  expect(jsonOf(answered)).toMatchObject({ error: { code: 'EventNotExist', message } });
});

it('is not confused with intake', async () => {
  expect((await ask('/v1/events/track/trace')).status).toBe(200);
  expect(pipelineService.calls).toMatchObject([{ in: { messageId: 'track' } }]);
  const posted = await send(stand.url('/v1/events/track/trace'), {
    method: 'POST',
    headers: { Authorization: `Bearer ${writer.key}` },
  });
  expect(posted.status).toBe(405);
});

it.each([
  ' ',
  'a b',
  ' a',
  'a ',
  '%',
  '100%',
  '%20',
  'a%b',
  '\t',
  'a\tb',
  '\n',
  'a\nb',
  'a\r\nb',
  '/',
  '?',
  '#',
  '+',
  'é',
  '😀',
  '{"a":1}',
  'x'.repeat(1_000),
])('takes the message id %j as it was sent', async (id) => {
  pipelineService.answer('TraceEvent', TRACE);
  const answered = await ask(`/v1/events/${encodeURIComponent(id)}/trace`);
  expect([answered.status, pipelineService.calls.at(-1)?.in]).toEqual([
    200,
    expect.objectContaining({ messageId: id }),
  ]);
});
