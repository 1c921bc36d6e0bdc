import type { HealthCode, HealthReport, Instant } from '@penstock/contracts';
import { PipelineServiceClient } from '@penstock/platform';
import { Installation } from '../testing/installation.fixture';
import { aPipeline } from '../testing/pipeline.fixture';

jest.setTimeout(60_000);

let installation: Installation;

beforeAll(async () => {
  installation = await Installation.open();
  await installation.start();
});

afterAll(() => installation.close());

const SINCE = '2026-03-01T09:30:00.000Z' as Instant;

const reportOn = (
  subject: HealthReport['subject'],
  id: string,
  code: HealthCode,
): HealthReport => ({ subject, id: id as never, code, since: SINCE, objectVersion: 1 });

/** As a router sends it: on behalf of no user, and of no workspace. */
const report = (each: HealthReport) =>
  installation.command('ReportHealth', each, { actor: 'event-router', workspace: '' as never });

const factsOf = async (object: string) => {
  const wanted = { limit: 100, cursor: '', object, type: 'HealthChanged', ofOrganization: false };
  return (await installation.query('ListFacts', wanted)).facts;
};

it('records a health once, without a new version of the object, in the audit of its workspace', async () => {
  const id = await installation.destination();
  const before = await installation.read('GetConnection', { id });
  expect(before.health).toBeUndefined();
  await report(reportOn('connection', id, 'AccessDenied'));
  await report(reportOn('connection', id, 'AccessDenied'));

  const after = await installation.read('GetConnection', { id });
  const health = { status: 'Paused', code: 'AccessDenied', since: SINCE };
  expect(after).toEqual({ ...before, health });
  const expectedVersion = before.version;
  await installation.command('UpdateConnection', { id, name: 'Renamed' }, { expectedVersion });

  expect(await factsOf(id)).toMatchObject([
    {
      actor: 'event-router',
      stream: `health-${id}`,
      before: null,
      after: { kind: 'health', ...health, objectVersion: 1 },
    },
  ]);
});

it('is sent by a service as a command, and its refusal is answered', async () => {
  const client = new PipelineServiceClient({ log: installation.log, service: 'event-router' });
  const id = await installation.destination();
  const send = (each: HealthReport) => client.execute('ReportHealth', each.id, each);
  try {
    await send(reportOn('connection', id, 'DestinationFails'));
    await send(reportOn('connection', id, 'DestinationFails'));
    await expect(send(reportOn('connection', 'neverthere000001', ''))).rejects.toMatchObject({
      code: 'ConnectionNotExist',
    });
  } finally {
    await client.close();
  }
  expect(await factsOf(id)).toMatchObject([
    { actor: 'event-router', after: { status: 'Failing', code: 'DestinationFails' } },
  ]);
});

it('records the health of a pipeline, which is the worst of its own and that of its connection', async () => {
  const connection = await installation.destination();
  const { id } = await installation.command('CreatePipeline', aPipeline(connection));
  const health = async () => (await installation.read('GetPipeline', { id })).health;
  await report(reportOn('pipeline', id, 'ManyRejected'));
  expect(await health()).toMatchObject({ status: 'Degraded', code: 'ManyRejected' });
  await report(reportOn('connection', connection, 'DestinationFails'));
  expect(await health()).toMatchObject({ status: 'Failing', code: 'DestinationFails' });
  expect((await installation.read('GetConnection', { id: connection })).health).toMatchObject({
    code: 'DestinationFails',
  });
});

it('refuses reports about what is not there, or was deleted', async () => {
  const connection = await installation.destination();
  const { id } = await installation.command('CreatePipeline', aPipeline(connection));
  await installation.command('DeleteConnection', { id: connection });
  for (const gone of [connection, 'neverthere000001'])
    await expect(report(reportOn('connection', gone, 'Behind'))).rejects.toMatchObject({
      code: 'ConnectionNotExist',
    });
  await expect(report(reportOn('pipeline', id, 'ManyRejected'))).rejects.toMatchObject({
    code: 'PipelineNotExist',
  });
  expect(await factsOf(connection)).toEqual([]);
});

it('answers the health as of a time', async () => {
  const connection = await installation.destination();
  const { id } = await installation.command('CreatePipeline', aPipeline(connection));
  const before = await installation.moment();
  await report(reportOn('connection', connection, 'DestinationFails'));
  const after = await installation.moment();
  await installation.untilPast(after);
  const connectionAt = (at: Instant) =>
    installation.query('GetConnectionAsOf', { id: connection, at });
  const pipelineAt = (at: Instant) => installation.query('GetPipelineAsOf', { id, at });
  expect((await connectionAt(before)).health).toBeUndefined();
  expect((await pipelineAt(before)).health).toBeUndefined();
  const health = { status: 'Failing', code: 'DestinationFails', since: SINCE };
  expect((await connectionAt(after)).health).toEqual(health);
  expect((await pipelineAt(after)).health).toEqual(health);
});
