import type { ErasureId, Instant, OrganizationId, WorkspaceId } from '@penstock/contracts';
import { newId } from '@penstock/runtime';
import { LEASE_MS, StoreDatabase } from '../store/store.fixture';
import { PostgresErasureStore } from './postgres-erasure-store';

jest.setTimeout(60_000);

const database = StoreDatabase.forEachTest();

const WORKSPACES = ['workspace0000001', 'workspace0000002'] as WorkspaceId[];

it('gives one erasure of each workspace at a time, however many executors ask at once', async () => {
  await database.open();
  const store = new PostgresErasureStore(database.pool, { leaseMs: LEASE_MS });
  for (let round = 0; round < 10; round += 1) {
    const workspaces = WORKSPACES.map((each) => `${each}-${String(round)}` as WorkspaceId);
    for (const workspace of workspaces)
      for (let n = 0; n < 10; n += 1)
        await store.accept({
          ...{ erasure: newId() as ErasureId, workspace, profile: newId() },
          organization: 'organization0001' as OrganizationId,
          requestedAt: '2026-06-01T00:00:00.000Z' as Instant,
        });
    const claims = Array.from({ length: 8 }, (_, n) => store.claim(`w${String(n)}`, workspaces));
    const claimed = (await Promise.all(claims)).flatMap((each) => each?.workspace ?? []);
    expect(claimed.sort()).toEqual(workspaces);
  }
});
