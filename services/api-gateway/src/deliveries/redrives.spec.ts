import { type JobId, type PipelineId, Refusal, type RedriveView } from '@penstock/contracts';
import { GatewayStand } from '../testing/gateway.fixture';
import { type Answered, jsonOf, send } from '../testing/http.fixture';
import {
  apiKey,
  organization,
  source,
  workspace,
  WORKSPACE,
} from '../testing/installation.fixture';

const reader = apiKey('read');
const writer = apiKey('write', { id: 'key-writer' as never });
const stand = new GatewayStand();
const { pipelineService } = stand;
const PIPELINE = 'pipeline00000001';
const PATH = `/v1/pipelines/${PIPELINE}/redrives`;
const JOB = 'job0000000000001' as JobId;

const destination = source('http', '{"url":"https://example.com"}', { role: 'Destination' });
const pipeline = {
  kind: 'pipeline',
  id: PIPELINE,
  workspace: WORKSPACE,
  connection: destination.state.id,
  target: 'Event',
  eventType: 'send_event',
  name: 'Carts',
  enabled: false,
  filter: null,
  transformation: null,
  outSchema: null,
  version: 1,
  deleted: false,
} as never;

const view: RedriveView = {
  id: JOB,
  pipeline: PIPELINE as PipelineId,
  state: 'Running',
  chosen: 9,
  delivered: 4,
  filtered: 1,
  rejected: 1,
  parked: 1,
  left: 2,
  startedAt: '2026-03-01T09:30:00.000Z' as RedriveView['startedAt'],
  endedAt: null,
  createdBy: 'key-writer',
};

beforeAll(async () => {
  await stand.configure(
    organization({ apiKeys: [reader.record, writer.record] }),
    workspace(),
    destination.state,
    pipeline,
  );
  await stand.start();
});
afterAll(() => stand.stop());
beforeEach(() => {
  pipelineService.calls.length = 0;
  pipelineService.answer('CreateRedrive', { id: JOB, count: 9 });
  pipelineService.answer('ListRedrives', { redrives: [view], cursor: JOB });
  pipelineService.answer('GetRedrive', view);
  pipelineService.answer('CancelRedrive', {});
});

const ask = (
  method: 'GET' | 'POST',
  path: string,
  body?: object,
  { key } = writer,
  headers: Record<string, string> = {},
): Promise<Answered> =>
  send(stand.url(path), {
    method,
    headers: {
      Authorization: `Bearer ${key}`,
      ...(body && { 'Content-Type': 'application/json' }),
      ...headers,
    },
    ...(body && { body: JSON.stringify(body) }),
  });

describe('a redrive', () => {
  it('is created of what the body says, also of a disabled pipeline', async () => {
    const ids = ['4Gd1oZtWm0bqPnA6TzXk9'];
    const times = { from: '2026-03-01T09:30:00Z', to: '2026-03-02T09:30:00.5Z' };
    const body = { state: 'Parked', code: 'RetryBudgetSpent', ...times, ids };
    const answered = await ask('POST', PATH, body);
    expect([answered.status, jsonOf(answered)]).toEqual([200, { id: JOB, count: 9 }]);
    expect(pipelineService.calls).toMatchObject([
      {
        name: 'CreateRedrive',
        in: {
          pipeline: PIPELINE,
          command: null,
          isDryRun: false,
          wanted: {
            ...body,
            from: '2026-03-01T09:30:00.000Z',
            to: '2026-03-02T09:30:00.500Z',
          },
        },
      },
    ]);
  });

  it('is created of all dead letters without a body', async () => {
    expect((await ask('POST', PATH)).status).toBe(200);
    const [call] = pipelineService.calls;
    expect(call?.in).toEqual({
      id: expect.stringMatching(/^[0-9a-z]{20}$/) as string,
      pipeline: PIPELINE,
      command: null,
      isDryRun: false,
      wanted: {},
    });
  });

  it('is only counted by a dry run', async () => {
    pipelineService.answer('CreateRedrive', { id: null, count: 9 });
    const answered = await ask('POST', PATH, { dryRun: true });
    expect(jsonOf(answered)).toEqual({ count: 9 });
    expect(pipelineService.calls).toMatchObject([{ in: { isDryRun: true } }]);
  });

  it('is created once for an Idempotency-Key', async () => {
    const once = { 'Idempotency-Key': 'once' };
    const first = await ask('POST', PATH, {}, writer, once);
    const again = await ask('POST', PATH, {}, writer, once);
    expect(again.text).toBe(first.text);
    expect(pipelineService.calls).toHaveLength(1);
    expect(pipelineService.calls[0]?.in).toMatchObject({
      command: expect.stringMatching(/./) as string,
    });
  });

  it('is shown and listed to scope read', async () => {
    expect(jsonOf(await ask('GET', `${PATH}/${JOB}`, undefined, reader))).toEqual(view);
    const list = await ask('GET', `${PATH}?limit=1&cursor=${JOB}`, undefined, reader);
    expect(jsonOf(list)).toEqual({ redrives: [view], cursor: JOB });
    expect(pipelineService.calls.map(({ in: input }) => input)).toEqual([
      { pipeline: PIPELINE, id: JOB },
      { pipeline: PIPELINE, limit: 1, cursor: JOB },
    ]);
  });

  it('is cancelled', async () => {
    const answered = await ask('POST', `${PATH}/${JOB}/cancel`);
    expect([answered.status, answered.text]).toEqual([200, '']);
    expect(pipelineService.calls).toMatchObject([
      { name: 'CancelRedrive', in: { pipeline: PIPELINE, id: JOB } },
    ]);
  });
});

describe('refusals', () => {
  it.each<[object, string]>([
    [{ state: 'Waiting' }, '/state'],
    [{ state: 'Delivered' }, '/state'],
    [{ code: 'x'.repeat(101) }, '/code'],
    [{ code: 400 }, '/code'],
    [{ from: 'yesterday' }, '/from'],
    [{ to: '2026-03-01' }, '/to'],
    [{ ids: 'x' }, '/ids'],
    [{ ids: [1] }, '/ids'],
    [{ ids: [] }, '/ids'],
    [{ ids: Array.from({ length: 1_001 }, () => 'x') }, '/ids'],
    [{ dryRun: 'true' }, '/dryRun'],
    [{ connection: 'x' }, '/connection'],
  ])('%.60j is refused with %s', async (body, path) => {
    const answered = await ask('POST', PATH, body);
    expect(answered.status).toBe(400);
    expect(jsonOf(answered)).toMatchObject({ error: { code: 'BadRequest', details: [{ path }] } });
    expect(pipelineService.calls).toEqual([]);
  });

  it('texts and ids are accepted up to their limits', async () => {
    const ids = Array.from({ length: 1_000 }, () => 'x'.repeat(26));
    expect((await ask('POST', PATH, { code: 'x'.repeat(100), ids })).status).toBe(200);
  });

  it.each<['GET' | 'POST', string, string]>([
    ['GET', `${PATH}?limit=0`, '/limit'],
    ['GET', `${PATH}?limit=1001`, '/limit'],
    ['GET', `${PATH}?state=Running`, '/state'],
    ['GET', `${PATH}/${JOB}?x=1`, '/x'],
    ['POST', `${PATH}?dryRun=true`, '/dryRun'],
    ['POST', `${PATH}/${JOB}/cancel?x=1`, '/x'],
  ])('%s %s is refused with %s', async (method, path, pointer) => {
    const answered = await ask(method, path);
    expect(answered.status).toBe(400);
    expect(jsonOf(answered)).toMatchObject({ error: { details: [{ path: pointer }] } });
    expect(pipelineService.calls).toEqual([]);
  });

  it.each(['pipeline00000002', 'x'])('a pipeline %s is answered 404', async (id) => {
    const path = `/v1/pipelines/${id}/redrives`;
    const all = [ask('POST', path), ask('GET', path), ask('GET', `${path}/${JOB}`)];
    for (const answered of await Promise.all([...all, ask('POST', `${path}/${JOB}/cancel`)])) {
      expect(answered.status).toBe(404);
      expect(jsonOf(answered)).toMatchObject({ error: { code: 'PipelineNotExist' } });
    }
    expect(pipelineService.calls).toEqual([]);
  });

  it('a redrive that does not exist is answered 404', async () => {
    pipelineService.answer('GetRedrive', new Refusal('RedriveNotExist'));
    pipelineService.answer('CancelRedrive', new Refusal('RedriveNotExist'));
    for (const id of [JOB, 'x'])
      for (const answered of [
        await ask('GET', `${PATH}/${id}`),
        await ask('POST', `${PATH}/${id}/cancel`),
      ]) {
        expect(answered.status).toBe(404);
        expect(jsonOf(answered)).toMatchObject({ error: { code: 'RedriveNotExist' } });
      }
  });

  it('scope read may neither create nor cancel', async () => {
    for (const path of [PATH, `${PATH}/${JOB}/cancel`])
      expect((await ask('POST', path, undefined, reader)).status).toBe(403);
    expect(pipelineService.calls).toEqual([]);
  });
});
