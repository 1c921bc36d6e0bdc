import { createConnectors } from '@penstock/connectors';
import { ConfigurationReplica, type ConnectionDelivery } from '@penstock/contracts';
import type { RunningPipelineService } from '../create-pipeline-service';
import { Installation } from '../testing/installation.fixture';

jest.setTimeout(60_000);

const DAY_SECONDS = 86_400;

let installation: Installation;
let service: RunningPipelineService;

beforeAll(async () => {
  installation = await Installation.open();
  service = await installation.start({ delivery: { eventsRetentionMs: 7 * DAY_SECONDS * 1_000 } });
});

afterAll(() => installation.close());

const WHOLE: ConnectionDelivery = {
  ordering: 'none',
  maxAgeSeconds: 6 * DAY_SECONDS,
  timeoutSeconds: 120,
};

const deliveryOf = async (id: string) =>
  (await installation.read('GetConnection', { id })).delivery;

const update = (
  id: string,
  changes: { name?: string; delivery?: ConnectionDelivery | null } = {},
) => installation.recorded('UpdateConnection', { id, name: 'A connection', ...changes });

const refused = (code: string, path: string): unknown =>
  expect.objectContaining({ code, details: [expect.objectContaining({ path })] });

it.each([WHOLE, {}, { ordering: 'key' }, { maxAgeSeconds: 60 }] as const)(
  'is stored and returned as it was sent: %j',
  async (delivery) => {
    const id = await installation.destination({ delivery });
    expect(await deliveryOf(id)).toEqual(delivery);
  },
);

it.each([{}, { delivery: null }])('is the default with %j', async (input) => {
  const id = await installation.destination(input);
  expect(await installation.read('GetConnection', { id })).not.toHaveProperty('delivery');
});

it('appears in the replica that other processes follow, and disappears once it is removed', async () => {
  const replica = await installation.follow(new ConfigurationReplica());
  const id = await installation.destination();
  const first = await update(id, { delivery: WHOLE });
  await replica.waitFor(first.position);
  expect(replica.connection(id)?.delivery).toEqual(WHOLE);
  const second = await update(id, { delivery: null });
  await replica.waitFor(second.position);
  expect(replica.connection(id)).toMatchObject({ version: 3 });
  expect(replica.connection(id)).not.toHaveProperty('delivery');
});

it('is replaced as a whole, and stays where an update does not name it', async () => {
  const id = await installation.destination({ delivery: WHOLE });
  await update(id, { name: 'Renamed' });
  expect(await deliveryOf(id)).toEqual(WHOLE);
  const { position } = await update(id, { delivery: { timeoutSeconds: 1 } });
  expect(await deliveryOf(id)).toEqual({ timeoutSeconds: 1 });
  const again = await update(id, { delivery: { timeoutSeconds: 1 } });
  expect(again.position).toBe(position);
});

it('is returned as of an earlier time', async () => {
  const id = await installation.destination({ delivery: WHOLE });
  const at = await installation.moment();
  await update(id, { delivery: null });
  await installation.untilPast(at);
  const view = await installation.query('GetConnectionAsOf', { id, at });
  expect(view.delivery).toEqual(WHOLE);
  expect(await deliveryOf(id)).toBeUndefined();
});

it.each(['javascript', 'webhook', 'dummy'])('is refused on a source, %s', async (connector) => {
  await expect(installation.source({ connector, delivery: {} })).rejects.toEqual(
    refused('BadRequest', '/delivery'),
  );
  const id = await installation.source({ connector, delivery: null });
  await expect(update(id, { delivery: {} })).rejects.toEqual(refused('BadRequest', '/delivery'));
  await update(id, { delivery: null });
});

it('has a maximum age of at most the retention of events less a day', async () => {
  const delivery = { maxAgeSeconds: 6 * DAY_SECONDS + 1 };
  const expected = refused('InvalidSettings', '/delivery/maxAge');
  await expect(installation.destination({ delivery })).rejects.toEqual(expected);
  const id = await installation.destination({ delivery: WHOLE });
  await expect(update(id, { delivery })).rejects.toEqual(expected);
  expect(await deliveryOf(id)).toEqual(WHOLE);
});

it('is checked after the kind of the connection, and its age after the settings', async () => {
  const settings = installation.sealed({ pageSize: 'many' });
  const delivery = { maxAgeSeconds: 7 * DAY_SECONDS };
  await expect(installation.source({ connector: 'dummy', settings, delivery })).rejects.toEqual(
    refused('BadRequest', '/delivery'),
  );
  await expect(installation.destination({ settings, delivery })).rejects.toEqual(
    refused('InvalidSettings', '/settings/pageSize'),
  );
});

it('can be removed, not set, where the service no longer has the connector', async () => {
  const id = await installation.destination({ delivery: WHOLE });
  await installation.stop(service);
  await installation.start({ connectors: createConnectors({ enabled: [] }) });
  const refusal = { code: 'ConnectorNotExist', kind: 'refused' };
  await expect(update(id, { delivery: {} })).rejects.toMatchObject(refusal);
  await update(id, { delivery: null });
  expect(await deliveryOf(id)).toBeUndefined();
});
