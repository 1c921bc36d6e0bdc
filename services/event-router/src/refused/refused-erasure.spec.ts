import type { ConnectionId, SuppressionId, WorkspaceId } from '@penstock/contracts';
import { RefusedErasure } from './refused-erasure';

const USER = 'hash of ada' as SuppressionId;
const ROW = {
  source: 'source0000000001' as ConnectionId,
  id: 'refused',
  workspace: 'workspace0000001' as WorkspaceId,
  users: [USER],
};
const MINUTE_MS = 60_000;

it('looks once more for what was written late, until that succeeds', async () => {
  let nowMs = 0;
  let isAway = false;
  const kept: (typeof ROW)[] = [];
  const table = {
    ofUsers: () =>
      isAway ? Promise.reject(new Error('PostgreSQL is away')) : Promise.resolve([...kept]),
    erase: () => Promise.resolve(void kept.splice(0)),
  };
  const replica = { suppressedFrom: 1, suppressedIn: () => new Set([USER]) };
  const erasure = new RefusedErasure(replica, table, () => nowMs);
  await erasure.run();
  kept.push(ROW);
  nowMs = MINUTE_MS;
  isAway = true;
  await expect(erasure.run()).rejects.toThrow('away');
  isAway = false;
  await erasure.run();
  expect(kept).toEqual([]);
});
