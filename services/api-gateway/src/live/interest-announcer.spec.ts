import { type LiveInterest, readInterests, TOPIC, type WorkspaceId } from '@penstock/contracts';
import { InterestAnnouncer } from './interest-announcer';

const ALL: LiveInterest = {
  workspace: 'workspace0000001' as WorkspaceId,
  connection: null,
  pipeline: null,
};

let interests: LiveInterest[];
let announced: (readonly LiveInterest[] | undefined)[];
let faults: unknown[];
let fails: boolean;
let announcer: InterestAnnouncer;

beforeEach(() => {
  jest.useFakeTimers();
  interests = [];
  announced = [];
  faults = [];
  fails = false;
  announcer = new InterestAnnouncer({
    log: {
      append: (topic, [message]) => {
        expect(topic).toBe(TOPIC.liveInterest);
        announced.push(readInterests(message?.value ?? null)?.interests);
        return fails ? Promise.reject(new Error('away')) : Promise.resolve([]);
      },
    },
    interests: () => interests,
    onError: (error) => faults.push(error),
  });
});

afterEach(() => jest.useRealTimers());

const changesTo = async (...now: LiveInterest[]): Promise<void> => {
  interests = now;
  announcer.changed();
  await announcer.close();
};

it('announces at once, each interest once, and again every five seconds while it lasts', async () => {
  await changesTo(ALL, ALL);
  expect(announced).toEqual([[ALL]]);
  await jest.advanceTimersByTimeAsync(4_999);
  expect(announced).toHaveLength(1);
  await jest.advanceTimersByTimeAsync(1);
  expect(announced).toEqual([[ALL], [ALL]]);
  await jest.advanceTimersByTimeAsync(10_000);
  expect(announced).toHaveLength(4);
});

it('announces once that nothing is watched any more, and then nothing', async () => {
  await changesTo();
  expect(announced).toEqual([]);
  await changesTo(ALL);
  await changesTo();
  await changesTo();
  await jest.advanceTimersByTimeAsync(60_000);
  expect(announced).toEqual([[ALL], []]);
});

it('tells what cannot be announced, and goes on announcing it', async () => {
  fails = true;
  await changesTo(ALL);
  expect(faults).toEqual([new Error('away')]);
  fails = false;
  await jest.advanceTimersByTimeAsync(5_000);
  expect(announced).toEqual([[ALL], [ALL]]);
  expect(faults).toHaveLength(1);
});
