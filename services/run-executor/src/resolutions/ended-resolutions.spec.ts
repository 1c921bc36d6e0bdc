import { instant, type ResolutionId, type WorkspaceId } from '@penstock/contracts';
import { EndedResolutions } from './ended-resolutions';

const WORKSPACE = 'workspace0000001' as WorkspaceId;
const RESOLUTION = 'resolution000001' as ResolutionId;

/** What is told of a resolution that has ended, of a workspace that is deleted or not. */
const told = async (isDeleted: boolean, times = 1): Promise<readonly string[]> => {
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
    triggerResolution: (_, trigger, full, command) => {
      calls.push(`trigger ${trigger} ${String(full)} ${command}`);
      return Promise.resolve();
    },
    onEnded: () => undefined,
    options: { cancelGraceMs: 1, fenceMs: 1, resolutionRetryMs: 1 },
    onError: (error) => {
      throw error;
    },
  });
  await ended.tellAll();
  for (let time = 0; time < times; time += 1) await ended.retryAll();
  return calls;
};

it('tells every end before it is noted, but for that of a deleted workspace', async () => {
  const trigger = `trigger API false after resolution ${RESOLUTION}`;
  expect(await told(false)).toEqual(['end', 'is told', trigger, 'is retried']);
  expect(await told(true)).toEqual(['is told', 'is retried']);
});

it('asks for another one in place of one that has failed under one command, however often', async () => {
  const commands = (await told(false, 2)).filter((call) => call.startsWith('trigger'));
  expect(commands).toHaveLength(2);
  expect(new Set(commands).size).toBe(1);
});
