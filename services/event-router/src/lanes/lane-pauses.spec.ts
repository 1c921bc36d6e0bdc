import type { ConnectionId } from '@penstock/contracts';
import { SteadyWall } from '../progress/steady-wall';
import { type LaneId, liveLane } from '../store/lane-id';
import type { LaneRecord } from '../store/router-store';
import { FakeClock } from '../testing/fake-clock';
import { Lane } from './lane';
import type { LaneContext } from './lane-context';
import { LanePauses } from './lane-pauses';
import { ROUTER_DEFAULTS } from './router.options';

const A = 'connectionA0001' as ConnectionId;
const B = 'connectionB0001' as ConnectionId;

let clock: FakeClock;
let lanes: ReadonlyMap<LaneId, Lane>;
let versions: Map<LaneId, number>;
/** Whether writes of the store fail. */
let isAway = false;
/** Answers the reads of the store that are pending, in their order. */
let reads: ((records: readonly LaneRecord[]) => void)[];
/** Ends the writes of the store that are pending, in their order. */
let writes: (() => void)[];
let written: string[];
let pauses: LanePauses;

const write = (what: string): Promise<void> => {
  written.push(what);
  if (isAway) return Promise.reject(new Error('away'));
  return new Promise((resolve) => {
    writes.push(resolve);
  });
};

beforeEach(() => {
  clock = new FakeClock();
  const wall = new SteadyWall(clock);
  const context = { clock, wall, options: ROUTER_DEFAULTS, onRoom: () => undefined };
  lanes = new Map(
    [A, B].map((id) => [id, new Lane(liveLane(id), context as unknown as LaneContext)]),
  );
  versions = new Map([A, B].map((id) => [id, 1]));
  [reads, writes, written] = [[], [], []];
  isAway = false;
  pauses = new LanePauses({
    store: {
      lanes: () =>
        new Promise((resolve) => {
          reads.push(resolve);
        }),
      pause: (lane) => write(`pause ${lane}`),
      resume: (lane, _, version) => write(`resume ${[lane, version].join(' ').trim()}`),
    },
    wall,
    lane: (id) => lanes.get(id),
    versionOf: (id) => versions.get(id),
    onError: (error) => {
      if (!isAway) throw error;
    },
  });
});

const pausedRecord = (lane: LaneId): LaneRecord => ({
  lane,
  pauses: [{ fromMs: clock.wallMs(), toMs: null }],
  reason: '401',
  version: 1,
});

/** Follows the store, which answers with these records. @param during called while the read is pending. */
const follow = async (
  records: readonly LaneRecord[],
  during: () => void | Promise<void> = () => undefined,
): Promise<void> => {
  const followed = pauses.follow();
  await during();
  reads.shift()!(records);
  await followed;
};

const stateOf = (lane: LaneId) => lanes.get(lane)!.health.state;

it('pauses the lanes that another process has paused, until their connection is updated', async () => {
  await follow([pausedRecord(A), pausedRecord(B)]);
  expect([stateOf(A), stateOf(B)]).toEqual(['paused', 'paused']);
  versions.set(A, 2);
  await follow([pausedRecord(A), pausedRecord(B)]);
  expect([stateOf(A), stateOf(B)]).toEqual(['flowing', 'paused']);
  expect(written).toEqual([`resume ${A} 2`]);
});

it('resumes a lane whose connection was updated, and knows its pauses, while another one changes', async () => {
  await follow([pausedRecord(A)]);
  versions.set(A, 2);
  const startMs = clock.wallMs();
  await clock.advance(5_000);
  await follow([{ ...pausedRecord(A), pauses: [{ fromMs: startMs, toMs: null }] }], () => {
    pauses.pause(B, 1, '401');
  });
  expect(stateOf(A)).toBe('flowing');
  expect(written).toEqual([`pause ${B}`, `resume ${A} 2`]);
  expect(lanes.get(A)!.health.pausedMsSince(startMs)).toBe(5_000);
});

it('leaves a lane as it is that was resumed during the read, until the next one', async () => {
  await follow([pausedRecord(A)]);
  await follow([pausedRecord(A)], async () => {
    lanes.get(A)!.health.succeeded();
    pauses.resume(A);
    writes.shift()!();
    await clock.advance(0);
  });
  expect(stateOf(A)).toBe('flowing');
  await follow([pausedRecord(A)]);
  expect(stateOf(A)).toBe('paused');
});

it('leaves a lane as it is while any of its changes is being written', async () => {
  await follow([pausedRecord(A)]);
  lanes.get(A)!.health.succeeded();
  pauses.resume(A);
  pauses.pause(A, 1, '401');
  pauses.resume(A);
  writes.pop()!();
  await clock.advance(0);
  await follow([]);
  await follow([pausedRecord(A)]);
  expect(stateOf(A)).toBe('flowing');
  for (const end of writes) end();
  await clock.advance(0);
  await follow([pausedRecord(A)]);
  expect(stateOf(A)).toBe('paused');
});

describe('the end of a pause counts as a success', () => {
  const ended = (lane: LaneId, version: number): LaneRecord => ({
    ...pausedRecord(lane),
    pauses: [{ fromMs: 0, toMs: 1 }],
    version,
  });
  const successes = () => lanes.get(A)!.health.successes;

  it('when another process has succeeded, once', async () => {
    await follow([pausedRecord(A)]);
    await follow([ended(A, 1)]);
    await follow([ended(A, 1)]);
    expect([stateOf(A), successes()]).toEqual(['flowing', 1]);
  });

  it('when another process has succeeded though this one has recorded the pause', async () => {
    lanes.get(A)!.health.pause();
    pauses.pause(A, 1, '403');
    writes.shift()!();
    await clock.advance(0);
    await follow([ended(A, 1)]);
    expect([stateOf(A), successes()]).toEqual(['flowing', 1]);
  });

  it('not when the pause could not be recorded: what the store has is an earlier one', async () => {
    isAway = true;
    lanes.get(A)!.health.pause();
    pauses.pause(A, 1, '403');
    await clock.advance(0);
    await follow([ended(A, 1)]);
    await follow([ended(A, 1)]);
    expect([stateOf(A), successes()]).toEqual(['flowing', 0]);
  });

  it('not when the connection was updated, whichever process learns of it first', async () => {
    await follow([pausedRecord(A)]);
    await follow([ended(A, 2)]);
    expect([stateOf(A), successes()]).toEqual(['flowing', 0]);
    await follow([{ ...pausedRecord(A), version: 2 }]);
    versions.set(A, 3);
    await follow([{ ...pausedRecord(A), version: 2 }]);
    expect([stateOf(A), successes()]).toEqual(['flowing', 0]);
  });
});

it('reads the store once at a time', async () => {
  const first = pauses.follow();
  await pauses.follow();
  expect(reads).toHaveLength(1);
  reads.shift()!([pausedRecord(A)]);
  await first;
  expect(stateOf(A)).toBe('paused');
  await follow([{ ...pausedRecord(A), pauses: [{ fromMs: 0, toMs: 1 }] }]);
  expect(stateOf(A)).toBe('flowing');
});

describe('the end of a pause that this process has recorded is recorded', () => {
  const pause = async (): Promise<void> => {
    pauses.pause(A, 1, '401');
    writes.shift()!();
    await clock.advance(0);
  };

  afterEach(() => {
    expect(written).toEqual([`pause ${A}`, `resume ${A}`]);
  });

  it('before the next read', async () => {
    await pause();
    pauses.resume(A);
  });

  it('during the next read', async () => {
    await pause();
    await follow([pausedRecord(A)], () => {
      pauses.resume(A);
    });
  });

  it('after a read that had begun before', async () => {
    await follow([], pause);
    pauses.resume(A);
  });

  it('after a read that has ended before it is written', async () => {
    await follow([], () => {
      pauses.pause(A, 1, '401');
    });
    pauses.resume(A);
  });
});

it('records no end of a pause of a lane that is not paused', async () => {
  await follow([pausedRecord(A)]);
  pauses.resume(B);
  await follow([]);
  pauses.resume(A);
  expect(written).toEqual([]);
});
