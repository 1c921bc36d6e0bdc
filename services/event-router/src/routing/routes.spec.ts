import {
  type ConnectionId,
  type ConnectionState,
  stateKey,
  supersededKey,
} from '@penstock/contracts';
import { warehouseOf } from '../store/lane-id';
import { WORKSPACE } from '../testing/pipelines.fixture';
import { DESTINATIONS, Facts, pipelineId, RoutesStand, shown, SOURCES } from './routing.fixture';

const [source] = SOURCES as [ConnectionId];
const [one, two] = DESTINATIONS as [ConnectionId, ConnectionId];

/** A source linked to a destination with a pipeline, at position 4. */
const linked = (): Facts => {
  const facts = new Facts();
  facts.connection(source);
  facts.connection(one);
  facts.pipeline(pipelineId(1), { connection: one });
  facts.connection(source, { links: [one] });
  return facts;
};

const lane = (pipelines: string[] = [], disabled: string[] = [], id = one) => ({
  lane: id,
  pipelines: pipelines.map((each) => each.replace(/^\d+/, (index) => pipelineId(Number(index)))),
  disabled: disabled.map((index) => pipelineId(Number(index))),
});

describe('pipelines on the source itself', () => {
  const warehouse = warehouseOf(WORKSPACE);
  const facts = (): Facts => {
    const made = linked();
    made.pipeline(pipelineId(2), { connection: source, target: 'Event', eventType: null });
    made.pipeline(pipelineId(3), { connection: source, target: 'User', eventType: null });
    made.pipeline(pipelineId(2), { enabled: false });
    made.pipeline(pipelineId(3), { deleted: true });
    return made;
  };
  const ofWarehouse = (pipelines: string[], disabled: string[] = []) => ({
    ...lane(pipelines, disabled),
    lane: warehouse,
  });

  it('go to the warehouse of the workspace, from the position of each change on', async () => {
    const stand = new RoutesStand(facts());
    const shownAt = async (seen: number) => shown(await stand.at(source, seen));
    for (let round = 0; round < 2; round += 1) {
      expect(await shownAt(4)).toEqual([lane(['1@1'])]);
      expect(await shownAt(5)).toEqual([lane(['1@1']), ofWarehouse(['2@1'])]);
      expect(await shownAt(6)).toEqual([lane(['1@1']), ofWarehouse(['2@1', '3@1'])]);
      expect(await shownAt(7)).toEqual([lane(['1@1']), ofWarehouse(['3@1'], ['2'])]);
      expect(await shownAt(8)).toEqual([lane(['1@1']), ofWarehouse([], ['2'])]);
    }
  });

  it('are learned from the history where the replica began later', async () => {
    const made = facts();
    const stand = new RoutesStand(made, made.compacted(made.position));
    expect(shown(await stand.at(source, 6))).toEqual([lane(['1@1']), ofWarehouse(['2@1', '3@1'])]);
  });

  it('have the lane of the warehouse, also when they were deleted', () => {
    const stand = new RoutesStand(facts());
    expect([1, 2, 3].map((index) => stand.routes.laneOf(pipelineId(index)))).toEqual([
      one,
      warehouse,
      warehouse,
    ]);
  });

  it('are no destination that an event could opt out of', async () => {
    const routes = await new RoutesStand(facts()).at(source, 6);
    expect([...routes.optedOut({ All: false })]).toEqual([one]);
  });
});

describe('an event is routed by the configuration as of its stamp', () => {
  it('has no routes before the link, and the pipeline from then on', async () => {
    const stand = new RoutesStand(linked());
    expect(shown(await stand.at(source, 3))).toEqual([]);
    expect(shown(await stand.at(source, 4))).toEqual([lane(['1@1'])]);
  });

  it('uses the version at the stamp, also after an update, a disable and a delete', async () => {
    const facts = linked();
    facts.pipeline(pipelineId(1), { name: 'Changed' });
    facts.pipeline(pipelineId(1), { enabled: false });
    facts.pipeline(pipelineId(1), { deleted: true });
    const stand = new RoutesStand(facts);
    expect(shown(await stand.at(source, 4))).toEqual([lane(['1@1'])]);
    expect(shown(await stand.at(source, 5))).toEqual([lane(['1@2'])]);
    expect(shown(await stand.at(source, 6))).toEqual([lane([], ['1'])]);
    expect(shown(await stand.at(source, 7))).toEqual([]);
  });

  it('keeps its routes after an unlink, and after the source or the destination was deleted', async () => {
    const facts = linked();
    facts.connection(source, { links: [] });
    facts.connection(source, { links: [one] });
    facts.connection(one, { deleted: true });
    facts.connection(source, { deleted: true, links: [] });
    const stand = new RoutesStand(facts);
    const shownAt = async (seen: number) => shown(await stand.at(source, seen));
    expect(await shownAt(4)).toEqual([lane(['1@1'])]);
    expect(await shownAt(5)).toEqual([]);
    expect(await shownAt(6)).toEqual([lane(['1@1'])]);
    expect(await shownAt(7)).toEqual([]);
    expect(await shownAt(8)).toEqual([]);
  });

  it('sorts pipelines by id, and lanes in the order of the links', async () => {
    const facts = new Facts();
    for (const id of [source, one, two]) facts.connection(id);
    for (const index of [3, 1, 2]) facts.pipeline(pipelineId(index), { connection: one });
    facts.pipeline(pipelineId(4), { connection: two, enabled: false });
    facts.connection(source, { links: [two, one] });
    const stand = new RoutesStand(facts);
    const routes = await stand.at(source, facts.position);
    expect(shown(routes)).toEqual([lane([], ['4'], two), lane(['1@1', '2@1', '3@1'])]);
    expect(routes.lanes[0]).toMatchObject({
      workspace: 'workspace000001',
      connector: 'webhook',
      label: 'Label of webhook',
    });
  });
});

describe('computed routes are cached', () => {
  it('returns the same object between two changes that concern the source', async () => {
    const facts = linked();
    facts.connection(source, { name: 'Another name' });
    facts.connection(one, { settings: 'others' });
    facts.connection(two);
    const stand = new RoutesStand(facts);
    const first = await stand.at(source, 4);
    for (const seen of [5, 6, 7]) expect(await stand.at(source, seen)).toBe(first);
    facts.pipeline(pipelineId(2), { connection: two });
    stand.replica.apply(facts.records[7] as never);
    expect(await stand.at(source, 8)).toBe(first);
  });

  it('returns another object after a change that concerns the source', async () => {
    const facts = linked();
    const stand = new RoutesStand(facts);
    const first = await stand.at(source, 4);
    facts.pipeline(pipelineId(1), { enabled: false });
    stand.replica.apply(facts.records[4] as never);
    expect(await stand.at(source, 5)).not.toBe(first);
    expect(await stand.at(source, 4)).toBe(first);
  });

  it('compiles a version of a pipeline once', async () => {
    const facts = linked();
    facts.connection(source, { links: [one, two] });
    facts.pipeline(pipelineId(2), { connection: one });
    const stand = new RoutesStand(facts);
    const before = (await stand.at(source, 4)).lanes[0]?.pipelines[0];
    const after = (await stand.at(source, 6)).lanes[0]?.pipelines[0];
    expect(before).toBeDefined();
    expect(after).toBe(before);
    expect(await stand.version(pipelineId(1), 1)).toBe(before);
    expect(await stand.version(pipelineId(1), 2)).toBeUndefined();
  });
});

describe('positions that were not read from the log yet', () => {
  it('are waited for, once for a batch, and not again', async () => {
    const stand = new RoutesStand(linked());
    await stand.routes.prepare([4, 2, 3].map((seen) => ({ source, seen })));
    await stand.routes.prepare([{ source, seen: 4 }]);
    expect(stand.looks).toBe(1);
    expect(stand.alarms).toEqual([]);
  });

  it('are rejected by at without prepare', () => {
    const stand = new RoutesStand(linked());
    expect(() => stand.routes.at(source, 4)).toThrow('was not waited for');
  });

  it('are applied before the events that are stamped with them', async () => {
    const facts = linked();
    const stand: RoutesStand = new RoutesStand(facts, facts.records.slice(0, 3), {
      caughtUp: () => {
        for (const record of facts.records) stand.replica.apply(record);
        return Promise.resolve();
      },
    });
    expect(shown(await stand.at(source, 4))).toEqual([lane(['1@1'])]);
    expect(stand.alarms).toEqual([]);
  });

  it('are not skipped while the log is unavailable', async () => {
    const stand = new RoutesStand(linked(), undefined, {
      caughtUp: () => Promise.reject(new Error('the log is away')),
    });
    await expect(stand.routes.prepare([{ source, seen: 1 }])).rejects.toThrow('the log is away');
    expect(() => stand.routes.at(source, 1)).toThrow('was not waited for');
  });

  it('are mapped to the end of the log when it ends before them, with one alarm', async () => {
    const facts = linked();
    const stand = new RoutesStand(facts);
    expect(shown(await stand.at(source, 90))).toEqual([lane(['1@1'])]);
    expect(shown(await stand.at(source, 80))).toEqual([lane(['1@1'])]);
    expect(stand.alarms).toEqual([{ seen: 90, end: 4 }]);
    await stand.routes.prepare([91, 2].map((seen) => ({ source, seen })));
    expect(shown(stand.routes.at(source, 91))).toEqual([lane(['1@1'])]);
    expect(stand.alarms).toHaveLength(2);
  });

  it('are waited for again beyond an end that was exceeded before', async () => {
    const facts = linked();
    const stand: RoutesStand = new RoutesStand(facts, facts.records.slice(), {
      caughtUp: () => {
        for (const record of facts.records) stand.replica.apply(record);
        return Promise.resolve();
      },
    });
    await stand.at(source, 90);
    facts.pipeline(pipelineId(1), { name: 'Changed' });
    expect(shown(await stand.at(source, 5))).toEqual([lane(['1@2'])]);
  });
});

describe('history that compaction has removed', () => {
  const changed = (): Facts => {
    const facts = linked();
    facts.connection(one, { name: 'Another name' });
    facts.connection(source, { links: [] });
    facts.connection(one, { deleted: true });
    facts.connection(source, { deleted: true });
    return facts;
  };

  it('is loaded: first the source, then its destinations at that position', async () => {
    const facts = changed();
    const stand = new RoutesStand(facts, facts.compacted(facts.position));
    expect(shown(await stand.at(source, 5))).toEqual([lane(['1@1'])]);
    expect(stand.history.asked).toEqual([
      { id: source, from: 5, to: 6 },
      { id: one, from: 5, to: 6 },
    ]);
    expect(shown(await stand.at(source, 5))).toEqual([lane(['1@1'])]);
    expect(stand.history.asked).toHaveLength(2);
  });

  it('is loaded once for a batch, for all its positions', async () => {
    const facts = changed();
    const stand = new RoutesStand(facts, facts.compacted(facts.position));
    const heads = [5, 1, 4, 6, 8].map((seen) => ({ source, seen }));
    await stand.routes.prepare(heads);
    expect(stand.history.asked).toEqual([
      { id: source, from: 1, to: 7 },
      { id: one, from: 4, to: 6 },
    ]);
    expect(heads.map(({ seen }) => shown(stand.routes.at(source, seen)).length)).toEqual([
      1, 0, 1, 0, 0,
    ]);
  });

  it('is loaded once for concurrent callers', async () => {
    const facts = changed();
    const stand = new RoutesStand(facts, facts.compacted(facts.position));
    const prepared = Array.from({ length: 5 }, () => stand.at(source, 4));
    for (const routes of await Promise.all(prepared)) expect(shown(routes)).toHaveLength(1);
    expect(stand.history.asked).toHaveLength(2);
  });

  it('is loaded for a few connections at a time', async () => {
    const facts = new Facts();
    const sources = Array.from(
      { length: 30 },
      (_, index) => `source${String(index).padStart(9, '0')}` as ConnectionId,
    );
    for (const id of sources) facts.connection(id);
    for (const id of sources) facts.connection(id, { name: 'Another name' });
    const stand = new RoutesStand(facts, facts.compacted(facts.position));
    await stand.routes.prepare(sources.map((id) => ({ source: id, seen: 30 })));
    expect(stand.history.asked).toHaveLength(30);
    expect(stand.history.mostRunning).toBe(8);
  });

  it('is required: nothing is routed without it, and it is requested again', async () => {
    const facts = changed();
    const stand = new RoutesStand(facts, facts.compacted(facts.position));
    stand.history.failure = new Error('the pipeline service is away');
    await expect(stand.routes.prepare([{ source, seen: 5 }])).rejects.toThrow(
      'the pipeline service is away',
    );
    expect(() => stand.routes.at(source, 5)).toThrow('was not prepared');
    stand.history.failure = undefined;
    expect(shown(await stand.at(source, 5))).toEqual([lane(['1@1'])]);
  });

  it('is loaded of pipelines too, of which only the newest versions are left', async () => {
    const facts = linked();
    for (let version = 2; version <= 6; version += 1)
      facts.pipeline(pipelineId(1), { name: `Version ${String(version)}` });
    const stand = new RoutesStand(facts, facts.compacted(facts.position));
    expect(shown(await stand.at(source, 6))).toEqual([lane(['1@3'])]);
    expect(stand.history.asked).toEqual([]);
    expect(shown(await stand.at(source, 5))).toEqual([lane(['1@2'])]);
    expect(stand.history.asked).toEqual([{ id: pipelineId(1), from: 5, to: 6 }]);
    stand.history.failure = new Error('the pipeline service is away');
    await expect(stand.version(pipelineId(1), 1)).rejects.toThrow('away');
    expect((await stand.version(pipelineId(1), 2))?.state).toMatchObject({ version: 2 });
    stand.history.failure = undefined;
    expect((await stand.version(pipelineId(1), 1))?.state).toMatchObject({ version: 1 });
    const { length } = stand.history.asked;
    expect((await stand.version(pipelineId(1), 1))?.state).toMatchObject({ version: 1 });
    expect(stand.history.asked).toHaveLength(length);
  });

  it('is loaded again when a version has left the topic meanwhile', async () => {
    const facts = linked();
    const stand = new RoutesStand(facts);
    for (let version = 2; version <= 6; version += 1) {
      facts.pipeline(pipelineId(1), { name: `Version ${String(version)}` });
      const { state } = facts.records.at(-1)!;
      stand.replica.apply(facts.records.at(-1)!);
      const key = supersededKey(state);
      if (key !== undefined) stand.replica.take({ key, value: null });
    }
    expect(shown(await stand.at(source, 4))).toEqual([lane(['1@1'])]);
    expect(shown(await stand.at(source, 6))).toEqual([lane(['1@3'])]);
    expect(stand.history.asked).toEqual([{ id: pipelineId(1), from: 4, to: 5 }]);
  });

  it('is nothing of a pipeline and a connection that were deleted long ago', async () => {
    const facts = linked();
    facts.pipeline(pipelineId(1), { deleted: true });
    facts.connection(one, { deleted: true });
    const stand = new RoutesStand(facts);
    for (const { state } of facts.records)
      if (state.id !== source) stand.replica.take({ key: stateKey(state), value: null });
    expect(shown(await stand.at(source, 4))).toEqual([]);
    expect(stand.routes.laneOf(pipelineId(1))).toBeUndefined();
    expect(stand.replica.connectionEver(one)).toBeUndefined();
    expect(stand.history.asked).toEqual([]);
  });

  it('is compiled again where the texts of many versions take more memory than there is for them', async () => {
    const compiledAgain = async (length: number): Promise<boolean> => {
      const facts = linked();
      for (let version = 2; version <= 40; version += 1) {
        const mapping = { properties: `'${'x'.repeat(length)}'` };
        facts.pipeline(pipelineId(1), { transformation: { mapping, function: null } });
      }
      const stand = new RoutesStand(facts);
      const first = await stand.version(pipelineId(1), 2);
      for (let version = 3; version <= 40; version += 1)
        await stand.version(pipelineId(1), version);
      return (await stand.version(pipelineId(1), 2)) !== first;
    };
    expect(await compiledAgain(900_000)).toBe(false);
    expect(await compiledAgain(1_100_000)).toBe(true);
  });

  it('is used one by one where there is no room for it, for a few states at a time', async () => {
    const facts = new Facts();
    facts.connection(source);
    facts.connection(one);
    const ids = [1, 2, 3, 4, 5].map(pipelineId);
    for (const id of ids) facts.pipeline(id, { connection: one });
    facts.connection(source, { links: [one] });
    for (let version = 2; version <= 21; version += 1) for (const id of ids) facts.pipeline(id);
    const records = facts.compacted(facts.position);
    // A version counts for 1,024: there is room for two of them, and five are wanted at once.
    const stand = new RoutesStand(facts, records, {}, { maxLearnedLength: 2_048 });
    const positions = Array.from({ length: 20 }, (_, index) => 8 + 5 * index);
    const lanesAt = (seen: number) => shown(stand.routes.at(source, seen));
    const expected = (seen: number) => {
      const version = String(1 + (seen - 8) / 5);
      return [lane([1, 2, 3, 4, 5].map((id) => `${String(id)}@${version}`))];
    };
    let left = [...positions, ...positions.slice(-2), ...positions].map((seen) => ({
      source,
      seen,
    }));
    const parts: number[] = [];
    while (left.length > 0) {
      const count = await stand.routes.prepare(left);
      for (const { seen } of left.slice(0, count)) expect(lanesAt(seen)).toEqual(expected(seen));
      parts.push(count);
      left = left.slice(count);
    }
    // Two states at a time; the last two of the first round come again at once.
    expect(parts).toEqual([...Array<number>(9).fill(2), 4, ...Array<number>(10).fill(2)]);
    expect(stand.history.asked.length).toBeLessThan(30 * parts.length);
    // What needs no history is prepared for more events each time.
    const present = Array.from({ length: 100 }, () => ({ source, seen: facts.position }));
    const counts = [await stand.routes.prepare(present), await stand.routes.prepare(present)];
    while (counts.at(-1)! < present.length && counts.length < 9)
      counts.push(await stand.routes.prepare(present));
    expect(counts).toEqual([4, 8, 16, 32, 64, 100]);
  });

  it('is refused when it is not whole', async () => {
    const facts = changed();
    const stand = new RoutesStand(facts, facts.compacted(facts.position));
    const states = facts.recordsOf<ConnectionState>(source).slice(1, 2);
    stand.history.connectionStates = () => Promise.resolve(states);
    await expect(stand.routes.prepare([{ source, seen: 3 }])).rejects.toThrow(
      `the history of connection ${source} is incomplete`,
    );
  });
});

it('has no routes at a position where the source did not exist yet', async () => {
  const facts = new Facts();
  facts.connection(one);
  for (let times = 0; times < 3; times += 1) facts.connection(source);
  const stand = new RoutesStand(facts, facts.compacted(facts.position));
  expect(shown(await stand.at(source, 1))).toEqual([]);
  expect(stand.history.asked).toEqual([{ id: source, from: 1, to: 2 }]);
});

describe('the present', () => {
  it('reports what is deleted: the pipeline or its destination', async () => {
    const facts = linked();
    facts.pipeline(pipelineId(2), { connection: one });
    const stand = new RoutesStand(facts);
    const { state } = (await stand.version(pipelineId(1), 1)) ?? {};
    if (state === undefined) throw new Error('no version');
    expect(stand.routes.isDeleted(state)).toBe(false);
    facts.pipeline(pipelineId(1), { deleted: true });
    stand.replica.apply(facts.records.at(-1) as never);
    expect(stand.routes.isDeleted(state)).toBe(true);
    const other = (await stand.version(pipelineId(2), 1))?.state ?? state;
    expect(stand.routes.isDeleted(other)).toBe(false);
    facts.connection(one, { deleted: true });
    stand.replica.apply(facts.records.at(-1) as never);
    expect(stand.routes.isDeleted(other)).toBe(true);
    expect(stand.routes.isDeleted({ ...state, id: pipelineId(9) })).toBe(true);
  });

  it('returns the lane of a pipeline', () => {
    const stand = new RoutesStand(linked());
    expect(stand.routes.laneOf(pipelineId(1))).toBe(one);
    expect(stand.routes.laneOf(pipelineId(9))).toBeUndefined();
  });
});
