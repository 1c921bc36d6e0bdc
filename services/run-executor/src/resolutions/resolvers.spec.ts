import type { ResolutionId, WorkspaceId } from '@penstock/contracts';
import { Away } from '../engine/away';
import { Resolvers } from './resolvers';

const CLAIM = {
  workspace: 'workspace0000001' as WorkspaceId,
  resolution: 'resolution000001' as ResolutionId,
  epoch: 3,
};

/** What is opened while the configuration of this process has this resolution. */
const opening = (resolution: () => string | undefined) => {
  const begun: object[] = [];
  const resolvers = new Resolvers({
    replica: {
      warehouse: () => undefined,
      resolution: () => ({ live: { resolution: resolution() } }) as never,
    },
    writers: {
      open: () =>
        Promise.resolve({
          beginResolution: (by: object) => {
            begun.push(by);
            return Promise.resolve({});
          },
          close: () => Promise.resolve(),
        } as never),
    },
    seals: { open: () => '' },
  });
  return { resolvers, begun };
};

const signal = new AbortController().signal;

it('opens nothing by settings that are older than the resolution', async () => {
  const { resolvers, begun } = opening(() => 'another000000001');
  await expect(resolvers.open(CLAIM, signal)).rejects.toBeInstanceOf(Away);
  expect(begun).toEqual([]);
});

it('waits until it knows of the resolution', async () => {
  const known: string[] = [];
  const { resolvers, begun } = opening(() => known[0]);
  const opened = resolvers.open(CLAIM, signal);
  known.push(CLAIM.resolution);
  await opened;
  expect(begun).toEqual([{ role: 'resolution', epoch: 3 }]);
});

it('fences one that nobody knows of any more', async () => {
  const { resolvers, begun } = opening(() => undefined);
  await resolvers.fence(CLAIM, signal);
  expect(begun).toEqual([{ role: 'resolution', epoch: 4 }]);
});
