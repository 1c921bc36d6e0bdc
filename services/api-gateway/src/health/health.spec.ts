import type { ConnectionId, HealthCode, HealthState, Instant } from '@penstock/contracts';
import { HEALTH_CAUSES } from '@penstock/contracts';
import { send, jsonOf } from '../testing/http.fixture';
import { GatewayStand } from '../testing/gateway.fixture';
import {
  apiKey,
  destination,
  organization,
  pipelineOn,
  workspace,
  WORKSPACE,
} from '../testing/installation.fixture';

const writer = apiKey('write');
const stand = new GatewayStand();
const connection = destination('destination000001', { version: 7 });
const other = destination('destination000002');
const pipeline = pipelineOn(connection, { id: 'pipeline00000001' as never, version: 3 });
const SINCE = '2026-03-01T09:30:00.000Z' as Instant;
const HEALTHY = { status: 'Healthy', since: null, code: '', message: '', action: '' };

const health = (
  subject: HealthState['subject'],
  id: string,
  code: HealthCode,
  members: Partial<HealthState> = {},
): HealthState => ({
  kind: 'health',
  subject,
  id: id as ConnectionId,
  workspace: WORKSPACE,
  status: HEALTH_CAUSES[code].status,
  code,
  since: SINCE,
  objectVersion: 1,
  version: 1,
  changedAt: [SINCE],
  ...members,
});

beforeAll(async () => {
  await stand.configure(organization({ apiKeys: [writer.record] }), workspace());
  await stand.configure(connection, other, pipeline);
  await stand.start();
});
afterAll(() => stand.stop());

const ask = (method: string, path: string, body?: string, headers = {}) =>
  send(stand.url(path), {
    method,
    headers: {
      Authorization: `Bearer ${writer.key}`,
      ...(body !== undefined && { 'Content-Type': 'application/json' }),
      ...headers,
    },
    ...(body !== undefined && { body }),
  });

const shown = async (path: string): Promise<unknown> =>
  (jsonOf(await ask('GET', path)) as { health: unknown }).health;

const ofConnection = () => shown(`/v1/connections/${connection.id}`);
const ofPipeline = () => shown(`/v1/pipelines/${pipeline.id}`);

it('is healthy since ever where nothing was recorded', async () => {
  expect(await ofConnection()).toEqual(HEALTHY);
  expect(await ofPipeline()).toEqual(HEALTHY);
});

it('is shown as it was recorded, of a pipeline the worst of its own and that of its connection', async () => {
  const shownAs = (code: HealthCode) => ({ since: SINCE, code, ...HEALTH_CAUSES[code] });
  await stand.configure(health('pipeline', pipeline.id, 'ManyRejected'));
  expect(await ofConnection()).toEqual(HEALTHY);
  expect(await ofPipeline()).toEqual(shownAs('ManyRejected'));
  await stand.configure(health('connection', connection.id, 'AccessDenied'));
  expect(await ofConnection()).toEqual(shownAs('AccessDenied'));
  expect(await ofPipeline()).toEqual(shownAs('AccessDenied'));
  const list = jsonOf(await ask('GET', '/v1/connections')) as { connections: object[] };
  expect(list.connections).toMatchObject([
    { id: other.id, health: HEALTHY },
    { id: connection.id, health: { status: 'Paused' } },
  ]);
});

it('changes no version, and is ignored when an answer is sent back', async () => {
  stand.pipelineService.answer('UpdatePipeline', {});
  const before = await ask('GET', `/v1/pipelines/${pipeline.id}`);
  expect(before.headers.etag).toBe('"3"');
  const changed = { changedAt: [SINCE, SINCE], version: 2 };
  await stand.configure(health('connection', connection.id, '', changed));
  const after = await ask('GET', `/v1/pipelines/${pipeline.id}`);
  expect(after.headers.etag).toBe('"3"');
  const tag = { 'If-Match': '"3"' };
  const path = `/v1/pipelines/${pipeline.id}`;
  expect(await ask('PUT', path, before.text, tag)).toMatchObject({ status: 200 });
});

it('of a code that a newer version has recorded is shown without a text', async () => {
  const newer = { version: 3, status: 'Degraded' as const };
  await stand.configure(
    health('connection', connection.id, '', { ...newer, code: 'New' as never }),
  );
  expect(await ofConnection()).toEqual({
    status: 'Degraded',
    since: SINCE,
    code: 'New',
    message: '',
    action: '',
  });
});

it('is in the audit, without what only its rule needs', async () => {
  const state = health('connection', connection.id, 'AccessDenied');
  const fact = {
    position: 9,
    stream: `health-${connection.id}`,
    version: 1,
    type: 'HealthChanged',
    time: SINCE,
    actor: 'event-router',
    requestId: 'r',
    causation: 'c',
    hash: 'h',
    before: null,
    after: state,
    isCut: false,
  };
  stand.pipelineService.answer('ListFacts', { facts: [fact], cursor: '' });
  const { facts } = jsonOf(await ask('GET', '/v1/audit?type=HealthChanged')) as {
    facts: { after: object }[];
  };
  const { kind: _, changedAt: _changedAt, ...after } = state;
  expect(facts[0]?.after).toEqual(after);
});
