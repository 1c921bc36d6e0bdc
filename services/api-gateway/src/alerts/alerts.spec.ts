import {
  type AlertId,
  type AlertState,
  type AuditedFact,
  type Instant,
  type NotificationView,
  type PipelineId,
  Refusal,
} from '@penstock/contracts';
import { GatewayStand } from '../testing/gateway.fixture';
import { type Answered, jsonOf, send } from '../testing/http.fixture';
import { apiKey, organization, seals, workspace, WORKSPACE } from '../testing/installation.fixture';

const ID = 'alert00000000001' as AlertId;
const PATH = `/v1/alerts/${ID}`;
const WEBHOOK = { url: 'https://example.com/hook', signingSecret: 'a signing secret' };
const MASKED = { ...WEBHOOK, signingSecret: '••••cret' };

const reader = apiKey('read');
const writer = apiKey('write', { id: 'key-writer' as never });
const stand = new GatewayStand();
const { pipelineService } = stand;

const alert: AlertState = {
  kind: 'alert',
  id: ID,
  workspace: WORKSPACE,
  name: 'Shop rejects',
  enabled: true,
  alertKind: 'deadLetterRate',
  connection: null,
  pipeline: 'pipeline00000001' as PipelineId,
  threshold: 10,
  window: 15,
  webhook: seals.seal(JSON.stringify(WEBHOOK), WORKSPACE),
  version: 3,
  deleted: false,
};

const SHOWN = {
  id: ID,
  version: 3,
  name: 'Shop rejects',
  enabled: true,
  kind: 'deadLetterRate',
  connection: null,
  pipeline: 'pipeline00000001',
  threshold: 10,
  window: 15,
  webhook: MASKED,
};

const notification: NotificationView = {
  id: 'notification0001' as NotificationView['id'],
  change: 'Began',
  connection: null,
  pipeline: 'pipeline00000001' as PipelineId,
  at: '2026-03-01T09:30:00.000Z' as Instant,
  state: 'Waiting',
  attempts: 2,
  nextAttemptAt: '2026-03-01T09:30:03.000Z' as Instant,
  status: 500,
  reason: 'answered 500',
  endedAt: null,
};

beforeAll(async () => {
  await stand.configure(
    organization({ apiKeys: [reader.record, writer.record] }),
    workspace(),
    alert,
    { ...alert, id: 'alert00000000002' as AlertId, name: 'Gone', deleted: true },
    { ...alert, id: 'alert00000000003' as AlertId, workspace: 'another-workspace' as never },
  );
  await stand.start();
});
afterAll(() => stand.stop());
beforeEach(() => {
  pipelineService.calls.length = 0;
  pipelineService.answer('CreateAlert', { id: ID });
  pipelineService.answer('UpdateAlert', {});
  pipelineService.answer('DeleteAlert', {});
  pipelineService.answer('ListAlertNotifications', { notifications: [notification], cursor: '' });
});

const ask = (
  method: 'GET' | 'POST' | 'PUT' | 'DELETE',
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

interface Sent {
  readonly webhook?: string;
}

/** The newest command, with its webhook opened. */
const sent = (): object => {
  const { webhook, ...rest } = pipelineService.calls.at(-1)?.in as Sent;
  if (webhook === undefined) return rest;
  expect(webhook).not.toContain('secret');
  return { ...rest, webhook: JSON.parse(seals.open(webhook, WORKSPACE)) as object };
};

const pathsOf = (answered: Answered): string[] => {
  const { error } = jsonOf(answered) as { error: { details: { path: string }[] } };
  return error.details.map(({ path }) => path).sort();
};

const CREATE = { name: 'Shop fails', kind: 'health', webhook: WEBHOOK };

it('is created with what the body says, its webhook sealed', async () => {
  const whole = {
    ...CREATE,
    kind: 'lag',
    enabled: false,
    connection: 'object0000000001',
    pipeline: null,
    threshold: 60,
    window: null,
  };
  expect(jsonOf(await ask('POST', '/v1/alerts', whole))).toEqual({ id: ID });
  const { kind, ...members } = whole;
  expect(sent()).toEqual({ ...members, alertKind: kind, id: expect.any(String) as string });
});

it('is created without what can be left out', async () => {
  expect((await ask('POST', '/v1/alerts', CREATE)).status).toBe(200);
  expect(sent()).toEqual({
    id: expect.any(String) as string,
    name: 'Shop fails',
    alertKind: 'health',
    connection: null,
    pipeline: null,
    threshold: null,
    window: null,
    webhook: WEBHOOK,
  });
});

it.each<[object, string[]]>([
  [{}, ['/kind', '/name', '/webhook']],
  [{ ...CREATE, name: '' }, ['/name']],
  [{ ...CREATE, name: 'x'.repeat(101) }, ['/name']],
  [{ ...CREATE, kind: 'other' }, ['/kind']],
  [{ ...CREATE, enabled: null }, ['/enabled']],
  [{ ...CREATE, connection: 1 }, ['/connection']],
  [{ ...CREATE, pipeline: 1 }, ['/pipeline']],
  [{ ...CREATE, threshold: 0 }, ['/threshold']],
  [{ ...CREATE, threshold: 604_801 }, ['/threshold']],
  [{ ...CREATE, threshold: 0.5 }, ['/threshold']],
  [{ ...CREATE, window: 4 }, ['/window']],
  [{ ...CREATE, window: 61 }, ['/window']],
  [{ ...CREATE, webhook: 'https://example.com' }, ['/webhook']],
  [{ ...CREATE, more: 1 }, ['/more']],
])('is refused as %j, naming %j', async (body, paths) => {
  const answered = await ask('POST', '/v1/alerts', body);
  expect(answered.status).toBe(400);
  expect(pathsOf(answered)).toEqual(paths);
  expect(pipelineService.calls).toEqual([]);
});

it('is shown with the secret masked, and with its version', async () => {
  const answered = await ask('GET', PATH, undefined, reader);
  expect(jsonOf(answered)).toEqual(SHOWN);
  expect(answered.headers['etag']).toBe('"3"');
  const list = { alerts: [SHOWN], cursor: '' };
  expect(jsonOf(await ask('GET', '/v1/alerts', undefined, reader))).toEqual(list);
  expect(jsonOf(await ask('GET', '/v1/alerts?search=SHOP', undefined, reader))).toEqual(list);
  expect(jsonOf(await ask('GET', '/v1/alerts?search=other', undefined, reader))).toEqual({
    alerts: [],
    cursor: '',
  });
});

it('can be sent back as it was answered', async () => {
  const { version: _version, id: _id, kind: _kind, ...members } = SHOWN;
  expect((await ask('PUT', PATH, SHOWN)).status).toBe(200);
  expect(sent()).toEqual({ ...members, id: ID });
});

it('keeps its webhook when a change leaves it out', async () => {
  expect((await ask('PUT', PATH, { name: 'Other' })).status).toBe(200);
  expect(sent()).not.toHaveProperty('webhook');
  expect(sent()).not.toHaveProperty('enabled');
});

it('cannot become an alert of another kind', async () => {
  const answered = await ask('PUT', PATH, { ...SHOWN, kind: 'lag' });
  expect(answered.status).toBe(400);
  expect(pathsOf(answered)).toEqual(['/kind']);
});

it('passes on the expected version, and its refusal', async () => {
  const headers = { 'If-Match': '"2"' };
  pipelineService.answer('DeleteAlert', new Refusal('Conflict'));
  const answered = await ask('DELETE', PATH, undefined, writer, headers);
  expect(answered.status).toBe(409);
  expect(pipelineService.calls.at(-1)?.metadata.expectedVersion).toBe(2);
});

it('is created once for a key of repetitions, and only tried in a dry run', async () => {
  const headers = { 'Idempotency-Key': 'once' };
  const make = () => ask('POST', '/v1/alerts', CREATE, writer, headers);
  const [first, again] = [await make(), await make()];
  expect(jsonOf(again)).toEqual(jsonOf(first));
  expect(pipelineService.calls.filter(({ name }) => name === 'CreateAlert')).toHaveLength(1);
  expect((await ask('POST', '/v1/alerts?dryRun=true', CREATE)).status).toBe(200);
  expect(pipelineService.calls.at(-1)?.metadata.isDryRun).toBe(true);
});

it('shows its notifications', async () => {
  const answered = await ask('GET', `${PATH}/notifications?limit=5`, undefined, reader);
  expect(jsonOf(answered)).toEqual({ notifications: [notification], cursor: '' });
  expect(pipelineService.calls.at(-1)).toMatchObject({
    name: 'ListAlertNotifications',
    in: { alert: ID, limit: 5, cursor: '' },
  });
});

it.each(['alert00000000002', 'alert00000000003', 'alert00000000009', 'impossible'])(
  'is not there as %s',
  async (id) => {
    for (const path of [`/v1/alerts/${id}`, `/v1/alerts/${id}/notifications`]) {
      const answered = await ask('GET', path, undefined, reader);
      expect(answered.status).toBe(404);
      expect(jsonOf(answered)).toEqual({
        error: { code: 'AlertNotExist', message: 'alert does not exist' },
      });
    }
  },
);

it('is changed by keys of scope write only', async () => {
  expect((await ask('POST', '/v1/alerts', CREATE, reader)).status).toBe(403);
  expect((await ask('PUT', PATH, { name: 'n' }, reader)).status).toBe(403);
  expect((await ask('DELETE', PATH, undefined, reader)).status).toBe(403);
});

it('has its secret masked in the audit too', async () => {
  const fact: AuditedFact = {
    position: 7,
    stream: `alert-${ID}`,
    version: 1,
    type: 'AlertCreated',
    time: '2026-03-01T09:30:00.000Z' as Instant,
    actor: 'key-1',
    requestId: 'request-1',
    causation: 'command-1',
    hash: 'h1',
    before: null,
    after: alert,
    isCut: false,
  };
  pipelineService.answer('ListFacts', { facts: [fact], cursor: '' });
  const answered = await ask('GET', '/v1/audit', undefined, reader);
  expect(jsonOf(answered)).toMatchObject({ facts: [{ after: { id: ID, webhook: MASKED } }] });
  expect(answered.text).not.toContain('signing secret');
});
