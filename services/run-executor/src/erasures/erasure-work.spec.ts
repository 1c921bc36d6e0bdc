import type { ConnectionId, ErasureId, SuppressionId, WorkspaceId } from '@penstock/contracts';
import type { ErasedRecord, Eraser, WarehouseWriter } from '@penstock/warehouses';
import { EXECUTOR_DEFAULTS } from '../workers/executor-options';
import { ErasureWork } from './erasure-work';

const CLAIMED = {
  ...{ erasure: 'erasure000000001' as ErasureId, epoch: 1, profile: 'profile', failures: 0 },
  workspace: 'workspace0000001' as WorkspaceId,
};

const recordOf = (recordId: string): ErasedRecord => ({
  ...{ connection: 'source0000000001' as ConnectionId, recordId },
  anonymous: recordId === 'visitor',
});

/** An eraser that has these records before each piece, the last of which is the last piece. */
const eraserOf = (pieces: readonly (readonly string[])[]): Eraser => {
  let at = 0;
  return {
    take: () => Promise.resolve(true),
    next: () => Promise.resolve((pieces[at] ?? []).map(recordOf)),
    eraseEvents: () => {
      at += 1;
      const counts = { profiles: 1, identities: 2, history: 0, events: at };
      return Promise.resolve({ counts, isLast: at === pieces.length });
    },
  };
};

it('has each record erased elsewhere once, before it is forgotten, however many pieces its events take', async () => {
  const eraser = eraserOf([['a', 'b'], ['a', 'b'], ['b', 'visitor'], ['visitor']]);
  const writer = { beginErasure: () => Promise.resolve(eraser) } as unknown as WarehouseWriter;
  const suppressed: (readonly string[])[] = [];
  const sampled: (readonly string[])[] = [];
  const ends: string[] = [];
  const work = new ErasureWork(
    CLAIMED,
    {
      store: {
        renew: () => Promise.resolve(true),
        eraseSamples: (_: unknown, records: readonly ErasedRecord[]) => {
          sampled.push(records.map(({ recordId }) => recordId));
          return Promise.resolve();
        },
        progress: () => Promise.resolve(),
        end: (_: unknown, error: string) => {
          ends.push(error);
          return Promise.resolve();
        },
        release: () => Promise.resolve(),
        postpone: () => Promise.resolve(),
      },
      writers: { within: (_workspace, _signal, perform) => perform(writer) },
      replica: { connectionEver: () => ({ connectorType: 'SDK' }) as never },
      keyedHash: (text) => text.slice(text.lastIndexOf('\0') + 1),
      suppressErased: (_: WorkspaceId, users: readonly SuppressionId[]) => {
        suppressed.push(users);
        return Promise.resolve();
      },
      onEnded: () => undefined,
      options: EXECUTOR_DEFAULTS,
      onError: (error) => {
        throw error;
      },
    },
    performance.now(),
  );
  await work.done;
  expect(ends).toEqual(['']);
  expect(suppressed).toEqual([['a', 'b'], ['~visitor']]);
  expect(sampled.flat()).toEqual(['a', 'b', 'visitor']);
});
