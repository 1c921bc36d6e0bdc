import { bodyDigest, orderKey } from '@penstock/contracts';
import { formerMessageHash, messageHash } from '../routing/incoming-event';
import { WITHOUT_LATER } from '../store/postgres/migrations/without-later.fixture';
import { PostgresRouterStore } from '../store/postgres/postgres-router-store';
import { OPTIONS } from '../store/postgres/store-harness.fixture';
import {
  destinationState,
  Installation,
  SOURCE,
  sourceState,
} from '../testing/installation.fixture';
import { pipelineState } from '../testing/pipelines.fixture';
import { Receiver } from '../testing/receiver.fixture';
import { until } from '../testing/until.fixture';

jest.setTimeout(600_000);

let installation: Installation;
let receiver: Receiver;

beforeEach(async () => {
  receiver = await Receiver.open();
  installation = await Installation.open();
  await installation.configure(sourceState(), destinationState(receiver.url), pipelineState());
});

afterEach(async () => {
  await installation.close();
  await receiver.close();
});

const KEY = orderKey(SOURCE, 'Ada');

const store = (): PostgresRouterStore =>
  new PostgresRouterStore(installation.pool, { ...OPTIONS, memberId: 'one' });

/** The statement with which routers of the version before write an id. */
const writtenBefore = (messageId: string) =>
  installation.pool.query(
    `INSERT INTO penstock_router.messages (hash, digest, hour)
     VALUES ($1, $2, floor(extract(epoch FROM now()) / 3600)::int)`,
    [formerMessageHash(KEY, messageId), bodyDigest('another', 'body')],
  );

/** Tables that a router of the version before has used. */
const upgraded = async (): Promise<void> => {
  await store().prepare();
  await installation.pool.query(WITHOUT_LATER);
  await installation.pool.query('DELETE FROM penstock_router.migrations WHERE version > 5');
  await installation.pool.query(
    'INSERT INTO penstock_router.partitions (partition) VALUES (0) ON CONFLICT DO NOTHING',
  );
  await writtenBefore('before');
};

const hashes = async (): Promise<string[]> => {
  const { rows } = await installation.pool.query<{ hash: string }>(
    `SELECT replace(hash::text, '-', '') AS hash FROM penstock_router.messages ORDER BY 1`,
  );
  return rows.map(({ hash }) => hash);
};

const counted = async (): Promise<Record<string, number>> => installation.counts();

it('finds ids of routers of the version before, which go on after the upgrade', async () => {
  await upgraded();
  await installation.start();
  await writtenBefore('after');
  for (const messageId of ['before', 'after', 'new'])
    await installation.accept({ user: 'Ada', messageId });
  await until(async () => (await counted())['Delivered'] === 1);
  await until(async () => (await counted())['Duplicate DifferentBody'] === 2);
  expect(receiver.taken.map(({ body }) => body['messageId'])).toEqual(['new']);
});

it('writes ids for routers of the version before too, until a day after the window', async () => {
  await upgraded();
  await installation.start();
  await installation.accept({ user: 'Ada', messageId: 'new' });
  await until(async () => (await counted())['Delivered'] === 1);
  expect(await hashes()).toEqual(
    [
      formerMessageHash(KEY, 'before'),
      formerMessageHash(KEY, 'new'),
      messageHash(KEY, 'new'),
    ].sort(),
  );
  const ofHours = async (hours: number): Promise<boolean> => {
    await installation.pool.query(
      `UPDATE penstock_router.traced SET since = now() - $1 * interval '1 hour'`,
      [hours],
    );
    const found = store();
    await found.prepare();
    return found.hasFormerIds;
  };
  expect(await ofHours(OPTIONS.duplicateWindowHours + 23.9)).toBe(true);
  expect(await ofHours(OPTIONS.duplicateWindowHours + 24.1)).toBe(false);
});

it('writes each id once in an installation of its own', async () => {
  await installation.start();
  await installation.accept({ user: 'Ada', messageId: 'new' });
  await until(async () => (await counted())['Delivered'] === 1);
  expect(await hashes()).toEqual([messageHash(KEY, 'new')]);
});
