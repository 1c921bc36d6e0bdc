import { instant, type ResolutionId, type WorkspaceId } from '@penstock/contracts';
import { EndedResolutions } from './ended-resolutions';

const WORKSPACE = 'workspace0000001' as WorkspaceId;
const RESOLUTION = 'resolution000001' as ResolutionId;

/** What is told of a resolution that has ended, of a workspace that is deleted or not. */
const told = async (isDeleted: boolean): Promise<readonly string[]> => {
  const calls: string[] = [];
  const note = (what: string) => (): Promise<void> => {
    calls.push(what);
    return Promise.resolve();
  };
  const ended = new EndedResolutions({
    store: {
      untold: () =>
        Promise.resolve([
          {
            ...{ workspace: WORKSPACE, resolution: RESOLUTION, error: '' },
            ...{ status: 'Succeeded', endedAt: instant(new Date(0)) },
          },
        ]),
      told: note('is told'),
      toRetry: () =>
        Promise.resolve([
          { workspace: WORKSPACE, resolution: RESOLUTION, trigger: 'API', full: false },
        ]),
      retried: note('is retried'),
      takeCancelled: () => Promise.resolve([]),
      end: () => Promise.resolve(),
    },
    resolvers: { fence: () => Promise.resolve() },
    isDeleted: () => isDeleted,
    endResolution: note('end'),
    triggerResolution: note('trigger'),
    onEnded: () => undefined,
    options: { cancelGraceMs: 1, fenceMs: 1, resolutionRetryMs: 1 },
    onError: (error) => {
      throw error;
    },
  });
  await ended.tellAll();
  await ended.retryAll();
  return calls;
};

it('tells every end before it is noted, but for that of a deleted workspace', async () => {
  expect(await told(false)).toEqual(['end', 'is told', 'trigger', 'is retried']);
  expect(await told(true)).toEqual(['is told', 'is retried']);
});
