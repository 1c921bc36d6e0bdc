import {
  type AlertId,
  type Commands,
  ConfigurationReplica,
  MAX_ALERT_LAG_SECONDS,
  MAX_ALERTS,
  type WorkspaceId,
} from '@penstock/contracts';
import { newId } from '@penstock/runtime';
import { verifyAudit } from '../audit/verify-audit';
import { connectDatabase } from '../database/database';
import { Installation } from '../testing/installation.fixture';
import { aPipeline } from '../testing/pipeline.fixture';

jest.setTimeout(60_000);

let installation: Installation;

beforeAll(async () => {
  installation = await Installation.open();
  await installation.start();
});

afterAll(() => installation.close());

type Create = Commands['CreateAlert']['in'];

const WEBHOOK = { url: 'https://example.com/hook', signingSecret: 'a signing secret' };
const CONDITION = { connection: null, pipeline: null, threshold: null };
const PAGE = { limit: 100, cursor: '' };
const absent = { code: 'AlertNotExist', kind: 'absent' };

const anAlert = (members: Partial<Create> = {}, workspace?: string): Create => ({
  id: newId() as AlertId,
  name: 'Shop fails',
  alertKind: 'health',
  ...CONDITION,
  webhook: installation.sealed(WEBHOOK, workspace),
  ...members,
});

const anotherWorkspace = async () => {
  const { organization } = await installation.founded();
  const workspace = newId() as WorkspaceId;
  const warehouse = installation.newWarehouse(workspace);
  const command = { id: workspace, name: 'Another', warehouse };
  await installation.command('CreateWorkspace', command, { organization });
  return { organization, workspace };
};

const created = async (members: Partial<Create> = {}): Promise<AlertId> =>
  (await installation.command('CreateAlert', anAlert(members))).id;

const get = (id: string) => installation.read('GetAlert', { id });

const webhookOf = async (id: string): Promise<unknown> =>
  JSON.parse(await installation.opened((await get(id)).webhook, installation.workspace));

const update = (id: string, members: Partial<Commands['UpdateAlert']['in']> = {}) =>
  installation.command('UpdateAlert', { id, name: 'Shop fails', ...CONDITION, ...members });

it('is created enabled, with its webhook sealed, and is listed', async () => {
  const id = await created();
  expect(await get(id)).toMatchObject({
    id,
    version: 1,
    name: 'Shop fails',
    enabled: true,
    alertKind: 'health',
    ...CONDITION,
    window: null,
  });
  expect((await get(id)).webhook).not.toContain('secret');
  expect(await webhookOf(id)).toEqual(WEBHOOK);
  const { alerts } = await installation.read('ListAlerts', { ...PAGE, search: 'shop' });
  expect(alerts.map((alert) => alert.id)).toContain(id);
});

it('has a window of five minutes, where its kind has one', async () => {
  const id = await created({ alertKind: 'deadLetterRate', threshold: 1 });
  expect(await get(id)).toMatchObject({ threshold: 1, window: 5 });
});

it.each<[Partial<Create>, string[]]>([
  [{ alertKind: 'deadLetterRate', threshold: 1 }, []],
  [{ alertKind: 'deadLetterRate', threshold: 100, window: 60 }, []],
  [{ alertKind: 'deadLetterRate', threshold: 0 }, ['/threshold']],
  [{ alertKind: 'deadLetterRate', threshold: 101 }, ['/threshold']],
  [{ alertKind: 'deadLetterRate', threshold: 1, window: 6 }, ['/window']],
  [{ alertKind: 'deadLetterRate', threshold: null, window: 4 }, ['/threshold', '/window']],
  [{ alertKind: 'deadLetterRate', threshold: 1, window: null }, []],
  [{ alertKind: 'lag', threshold: 1 }, []],
  [{ alertKind: 'lag', threshold: MAX_ALERT_LAG_SECONDS }, []],
  [{ alertKind: 'lag', threshold: 0 }, ['/threshold']],
  [{ alertKind: 'lag', threshold: MAX_ALERT_LAG_SECONDS + 1 }, ['/threshold']],
  [{ alertKind: 'lag', threshold: 1, window: 5 }, ['/window']],
  [{ alertKind: 'health', threshold: 1, window: 5 }, ['/threshold', '/window']],
  [{ connection: 'c', pipeline: 'p' }, ['/pipeline']],
])('with %j has problems at %j', async (members, paths) => {
  const isDryRun = true;
  const made = installation.command('CreateAlert', anAlert(members), { isDryRun });
  if (paths.length === 0) {
    await made;
    return;
  }
  const error = await made.catch((thrown: unknown) => thrown as { details: { path: string }[] });
  expect(error).toMatchObject({ code: 'BadRequest', kind: 'malformed' });
  expect((error as { details: { path: string }[] }).details.map(({ path }) => path)).toEqual(paths);
});

it('watches only what the workspace has', async () => {
  const connection = await installation.destination();
  const { id: pipeline } = await installation.command('CreatePipeline', aPipeline(connection));
  await created({ connection });
  await created({ pipeline });
  const none = newId();
  await expect(created({ connection: none })).rejects.toMatchObject({
    code: 'ConnectionNotExist',
    kind: 'refused',
  });
  await expect(created({ pipeline: none })).rejects.toMatchObject({
    code: 'PipelineNotExist',
    kind: 'refused',
  });
  const { workspace: elsewhere } = await anotherWorkspace();
  const ofAnother = anAlert({ connection }, elsewhere);
  await expect(
    installation.command('CreateAlert', ofAnother, { workspace: elsewhere }),
  ).rejects.toMatchObject({ code: 'ConnectionNotExist' });
});

it('can be changed, and watch on, when what it watches was deleted', async () => {
  const connection = await installation.destination();
  const id = await created({ connection });
  await installation.command('DeleteConnection', { id: connection });
  await update(id, { connection, name: 'Other' });
  expect(await get(id)).toMatchObject({ name: 'Other', connection });
  await update(id);
  await expect(update(id, { connection })).rejects.toMatchObject({ code: 'ConnectionNotExist' });
});

it.each<[object, string[]]>([
  [{ url: 'nothing', signingSecret: 'short' }, ['/webhook/signingSecret', '/webhook/url']],
  [{}, ['/webhook/signingSecret', '/webhook/url']],
])('is refused with the webhook %j', async (webhook, paths) => {
  const error = await created({ webhook: installation.sealed(webhook) }).catch(
    (thrown: unknown) => thrown,
  );
  expect(error).toMatchObject({ code: 'InvalidSettings', kind: 'refused' });
  const { details } = error as { details: { path: string }[] };
  expect(details.map(({ path }) => path).sort()).toEqual(paths);
});

it('keeps its secret and its URL unless others are sent, and what is left out as it was', async () => {
  const id = await created({ enabled: false });
  const before = await get(id);
  const masked = { ...WEBHOOK, signingSecret: '••••cret' };
  await update(id, { webhook: installation.sealed(masked) });
  expect(await get(id)).toEqual(before);
  await update(id, { webhook: installation.sealed({ ...masked, url: 'https://example.org' }) });
  expect(await webhookOf(id)).toEqual({ ...WEBHOOK, url: 'https://example.org' });
  expect(await get(id)).toMatchObject({ version: 2, enabled: false });
  await update(id, { enabled: true });
  expect(await webhookOf(id)).toEqual({ ...WEBHOOK, url: 'https://example.org' });
});

it('is changed and deleted only in the version that is expected', async () => {
  const id = await created();
  const wrong = { expectedVersion: 2 };
  await expect(
    installation.command('UpdateAlert', { id, name: 'n', ...CONDITION }, wrong),
  ).rejects.toMatchObject({ code: 'Conflict' });
  await expect(installation.command('DeleteAlert', { id }, wrong)).rejects.toMatchObject({
    code: 'Conflict',
  });
  await installation.command('DeleteAlert', { id }, { expectedVersion: 1 });
  await expect(get(id)).rejects.toMatchObject(absent);
  await expect(update(id)).rejects.toMatchObject(absent);
  await expect(installation.command('DeleteAlert', { id })).rejects.toMatchObject(absent);
});

it('is not seen from another workspace', async () => {
  const id = await created();
  const workspace = newId() as WorkspaceId;
  await expect(installation.read('GetAlert', { id }, { workspace })).rejects.toMatchObject(absent);
  await expect(installation.command('DeleteAlert', { id }, { workspace })).rejects.toMatchObject(
    absent,
  );
  expect(await installation.read('ListAlerts', PAGE, { workspace })).toMatchObject({ alerts: [] });
});

it('is answered as of a time, of which it does not matter that it was deleted since', async () => {
  const id = await created();
  const at = await installation.moment();
  await installation.command('DeleteAlert', { id });
  const now = await installation.moment();
  await installation.untilPast(now);
  const then = await installation.query('GetAlertAsOf', { id, at });
  expect(then).toMatchObject({ id, version: 1 });
  await expect(installation.query('GetAlertAsOf', { id, at: now })).rejects.toMatchObject(absent);
});

it('is one of at most 50 of its workspace, also when many are created at once', async () => {
  const { organization, workspace } = await anotherWorkspace();
  const make = () =>
    installation.command('CreateAlert', anAlert({}, workspace), { organization, workspace });
  for (let n = 0; n < MAX_ALERTS - 1; n += 1) await make();
  const results = await Promise.allSettled([make(), make(), make()]);
  expect(results.filter(({ status }) => status === 'fulfilled')).toHaveLength(1);
  await expect(make()).rejects.toMatchObject({
    code: 'AlertsLimitReached',
    kind: 'refused',
    message: 'workspace cannot have more than 50 alerts',
  });
  const { alerts } = await installation.read('ListAlerts', PAGE, { organization, workspace });
  expect(alerts).toHaveLength(50);
  await installation.command('DeleteAlert', { id: alerts[0]!.id }, { organization, workspace });
  await make();
});

it('is deleted with its workspace, and the audit finds no difference', async () => {
  const { organization, workspace } = await anotherWorkspace();
  const alert = anAlert({}, workspace);
  await installation.command('CreateAlert', alert, { organization, workspace });
  await installation.command('DeleteWorkspace', { id: workspace }, { organization });
  const replica = await installation.follow(new ConfigurationReplica());
  const { facts } = await installation.query(
    'ListFacts',
    {
      ...PAGE,
      object: alert.id,
      ofOrganization: false,
    },
    { organization, workspace },
  );
  expect(facts.map(({ type }) => type)).toEqual(['AlertDeleted', 'AlertCreated']);
  await replica.waitFor(facts[0]!.position);
  expect(replica.alerts.get(alert.id)?.deleted).toBe(true);
  const database = await connectDatabase(installation.databaseUrl, () => undefined);
  try {
    expect((await verifyAudit(database, installation.log)).differences).toEqual([]);
  } finally {
    await database.destroy();
  }
});
