import { acquired, changesOf, storedDelivery } from '../store/contract/changes.fixture';
import { WITHOUT_LATER } from '../store/postgres/migrations/without-later.fixture';
import { WITHOUT_5 } from '../store/postgres/migrations/without-version-5.fixture';
import { StoreDatabase } from '../store/postgres/store-harness.fixture';
import { WORKSPACE } from '../testing/pipelines.fixture';
import { DeliveryReads } from './delivery-reads';
import { bodyOf, receivedAt, SOURCE } from './stored-events.fixture';

jest.setTimeout(600_000);

const database = StoreDatabase.forEachTest();

it('reads from the events of version 4 what their deliveries are listed by', async () => {
  const routers = await database.open('of version 4');
  await database.pool.query(WITHOUT_5);
  const grant = await acquired(routers);
  const bodies = [bodyOf(1), bodyOf(2), 'unreadable'];
  await routers.commit([
    changesOf(grant, 1, {
      stored: bodies.map((body, offset) => storedDelivery({ offset, body })),
    }),
  ]);
  await database.pool.query(WITHOUT_LATER);
  await database.rows('DELETE FROM penstock_router.migrations WHERE version >= 5');
  await database.open('of version 5');
  // A router of version 4 that still runs stores a delivery too: its statement names no new column.
  await routers.commit([
    changesOf(grant, 2, { stored: [storedDelivery({ offset: 3, body: bodyOf(3) })] }),
  ]);
  const listed = await new DeliveryReads(database.pool).list(
    WORKSPACE,
    {},
    { limit: 10, after: undefined },
  );
  expect(listed.map(({ view }) => [view.messageId, view.source, view.receivedAt])).toEqual(
    [3, 2, 1].map((n) => [`m${n}`, SOURCE, receivedAt(n)]),
  );
  expect(
    await database.rows(
      `SELECT workspace, received = changed::timestamptz(3) AS "isOfRow" FROM penstock_router.deliveries WHERE "offset" = 2`,
    ),
  ).toEqual([{ workspace: '', isOfRow: true }]);
});
