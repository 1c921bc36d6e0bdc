import { createHash } from 'node:crypto';
import { momentText } from '../merging/identity-state';
import {
  type ConnectionId,
  FIRST_PROFILE_SCHEMA,
  type PipelineId,
  type WorkspaceId,
} from '@penstock/contracts';
import { newRecord, type Value } from '@penstock/schema';
import type { ShownIdentity } from './memory-writer.fixture';
import {
  type EventUpdate,
  type IdentityBatch,
  type IdentityUpdate,
  type IdentityWriter,
  type ImportedRecord,
  MAX_BATCH,
  type SettledAs,
  type WarehouseWriter,
  type WriterOptions,
} from './warehouse-writer';

/** A warehouse of a workspace, for one test. */
export interface Written {
  open(options: WriterOptions): Promise<Pick<WarehouseWriter, 'begin' | 'close'>>;
  identities(): Promise<readonly ShownIdentity[]>;
  /** The names of staging tables. */
  stages(): Promise<readonly string[]>;
  setSchemaVersion(version: number): Promise<void>;
  close(): Promise<void>;
}

export const MINE = 'workspace0000001' as WorkspaceId;
export const PIPELINE = 'pipeline00000001' as PipelineId;
export const CONNECTION = 'connection000001' as ConnectionId;
export const OPTIONS: WriterOptions = {
  ...{ workspace: MINE, profiles: FIRST_PROFILE_SCHEMA },
  keyedHash: (text) => createHash('sha256').update(text).digest('base64url'),
};

export type Members = Readonly<Record<string, Value>>;

const record = (members: Members) => Object.assign(newRecord(), members);

/** An imported record; times in microseconds. */
export const imported = (
  recordId: string,
  updatedAtUs: number | bigint,
  members: Members = {},
  tieBreaker = 'run',
): ImportedRecord => ({
  ...{ kind: 'record', recordId, updatedAtUs: BigInt(updatedAtUs), tieBreaker },
  values: record(members),
});

/** What an event says of a user. */
export const said = (
  recordId: string,
  updatedAtUs: number | bigint,
  members: Members = {},
  more: Partial<EventUpdate> = {},
): EventUpdate => ({
  ...{ kind: 'event', recordId, updatedAtUs: BigInt(updatedAtUs), tieBreaker: 'message' },
  ...{ anonymous: false, values: record(members), ...more },
});

/** A batch of the pipeline. */
export const batchOf = (
  updates: readonly IdentityUpdate[],
  run?: { readonly batch: number; readonly settled?: readonly (readonly [string, SettledAs])[] },
): IdentityBatch => ({
  ...{ pipeline: PIPELINE, connection: CONNECTION, updates },
  ...(run && { run: { id: 'run1', batch: run.batch, settled: new Map(run.settled ?? []) } }),
});

/** By record id. */
export const byId = (identities: readonly ShownIdentity[]) =>
  Object.fromEntries(identities.map((identity) => [identity.recordId, identity]));

/** Every implementation keeps these promises, so that a test on one means something for the other. */
export const itWritesIdentities = (stage: (owner: WorkspaceId) => Promise<Written>): void => {
  let written: Written;
  let writer: Pick<WarehouseWriter, 'begin' | 'close'>;
  let run: IdentityWriter;
  const role = 'run run1';

  beforeEach(async () => {
    written = await stage(MINE);
    writer = await written.open(OPTIONS);
    run = await writer.begin({ role, epoch: 1 });
  });
  afterEach(async () => {
    await writer.close();
    await written.close();
  });

  const values = async (recordId: string) => byId(await written.identities())[recordId]?.values;
  const newer = (epoch: number) => writer.begin({ role, epoch });

  describe('merging', () => {
    it('writes an identity with all that is known of it', async () => {
      expect(
        await run.write(
          batchOf([imported('u', 5, { email: 'a@b', last_name: 'B' })], { batch: 0 }),
        ),
      ).toEqual([{}]);
      expect(await written.identities()).toEqual([
        {
          ...{ pipeline: PIPELINE, connection: CONNECTION, recordId: 'u', anonymous: false },
          ...{ anonymousIds: [], previousIds: [], updatedAtUs: 5n, run: 'run1' },
          values: { email: 'a@b', last_name: 'B' },
        },
      ]);
    });

    it('clears what a later record does not have, whichever comes first', async () => {
      const [early, late] = [
        imported('u', 5, { email: 'a' }),
        imported('u', 6, { last_name: 'B' }),
      ];
      await run.write(batchOf([early]));
      await run.write(batchOf([late]));
      expect(await values('u')).toEqual({ last_name: 'B' });
      await run.write(batchOf([{ ...late, recordId: 'v' }]));
      await run.write(batchOf([{ ...early, recordId: 'v' }]));
      expect(await values('v')).toEqual({ last_name: 'B' });
    });

    it('leaves alone what an event does not have, and takes each property by its own time', async () => {
      const [early, late] = [
        said('u', 5, { email: 'early', last_name: 'early' }),
        said('u', 6, { email: 'late' }),
      ];
      await run.write(batchOf([late]));
      await run.write(batchOf([early]));
      expect(byId(await written.identities())['u']).toMatchObject({
        updatedAtUs: 6n,
        values: { email: 'late', last_name: 'early' },
      });
    });

    it('decides between equal times by the bytes of the tie-breaker, in one batch or two', async () => {
      // In UTF-16 the first would be the greater one.
      const [less, more] = ['\uff5e', '\u{1f600}'].map((tieBreaker) =>
        said('u', 5, { email: tieBreaker }, { tieBreaker }),
      );
      await run.write(batchOf([more!]));
      await run.write(batchOf([less!]));
      expect(await values('u')).toEqual({ email: '\u{1f600}' });
      await run.write(batchOf([more!, less!].map((update) => ({ ...update, recordId: 'v' }))));
      expect(await values('v')).toEqual({ email: '\u{1f600}' });
    });

    it('lets the first of equal updates stay', async () => {
      const [one, two] = [imported('u', 5, { email: 'one' }), imported('u', 5, { email: 'two' })];
      await run.write(batchOf([one, two]));
      await run.write(batchOf([two]));
      // The run is new to the identity, which therefore is written.
      await run.write(batchOf([two], { batch: 0 }));
      expect(await values('u')).toEqual({ email: 'one' });
    });

    it('keeps the time of a record that has none itself, until its values change', async () => {
      const undated = (us: number, members: Readonly<Record<string, Value>>) => ({
        ...imported('u', us, members),
        tieBreaker: momentText(BigInt(us)),
      });
      const shown = async () => {
        const { updatedAtUs, run: by, values: has } = byId(await written.identities())['u']!;
        return [updatedAtUs, by, has];
      };
      const [a, b] = [{ email: 'a', last_name: 'B' }, { email: 'b' }];
      await run.write(batchOf([undated(10, a)]));
      for (const us of [20, 20, 30]) await run.write(batchOf([undated(us, a)], { batch: 0 }));
      expect(await shown()).toEqual([10n, 'run1', a]);
      await run.write(batchOf([undated(40, b)]));
      expect(await shown()).toEqual([40n, 'run1', b]);
      await run.write(batchOf([undated(50, b)]));
      expect(await shown()).toEqual([40n, 'run1', b]);
      // A record with a time of its own has that, whatever it says.
      await run.write(batchOf([imported('u', 60, b)]));
      expect(await shown()).toEqual([60n, 'run1', b]);
    });

    it('keeps the greatest time of an update, also of one that changes nothing else', async () => {
      await run.write(batchOf([said('u', 7, {}), said('u', 6, { email: 'a' })]));
      expect(byId(await written.identities())['u']).toMatchObject({
        updatedAtUs: 7n,
        values: { email: 'a' },
      });
    });

    it('links each id once, anonymous ones by their first event', async () => {
      const link = (time: number, anonymousId: string, previousId: string) =>
        said('u', time, {}, { anonymousId, previousId });
      await run.write(batchOf([link(9, 'a', 'z'), link(4, 'b', 'y')]));
      await run.write(batchOf([link(2, 'a', 'z'), link(5, 'c', 'x'), link(9, 'b', 'x')]));
      expect(byId(await written.identities())['u']).toMatchObject({
        anonymousIds: ['a', 'b', 'c'],
        previousIds: ['x', 'y', 'z'],
      });
    });

    it('keeps anonymous and known identities of one id apart, and those of two pipelines', async () => {
      await run.write(batchOf([said('u', 5), said('u', 5, {}, { anonymous: true })]));
      await run.write({ ...batchOf([said('u', 5)]), pipeline: 'pipeline00000002' as PipelineId });
      expect(await written.identities()).toHaveLength(3);
    });

    it('is as once when it is repeated', async () => {
      const batch = batchOf([imported('u', 5, { email: 'a' }), said('v', 5, { email: 'b' })]);
      await run.write(batch);
      const before = await written.identities();
      await run.write(batch);
      expect(await written.identities()).toEqual(before);
    });
  });

  describe('a batch that waits', () => {
    const names = async () => (await written.identities()).map(({ recordId }) => recordId).sort();
    /** Longer than staging takes. */
    const aWhile = () => new Promise((resolve) => setTimeout(resolve, 200));

    it('is merged when that which it waits for has ended, and not before', async () => {
      let end: () => void = () => undefined;
      const before = new Promise<void>((resolve) => (end = resolve));
      const waiting = run.write(batchOf([imported('b', 2)], { batch: 2 }), before);
      await aWhile();
      await run.write(batchOf([imported('a', 1)], { batch: 1 }));
      expect(await names()).toEqual(['a']);
      expect(await run.seen('run1', ['a', 'b'])).toEqual(
        new Map([['a', { as: 'Merged', batch: 1 }]]),
      );
      end();
      expect(await waiting).toEqual([{}]);
      expect(await names()).toEqual(['a', 'b']);
    });

    it.each([0, 1])(
      'for something that fails leaves nothing of its %i records',
      async (records) => {
        const failure = new Error('the batch before has failed');
        let fail: (reason: Error) => void = () => undefined;
        const before = new Promise<never>((_, reject) => (fail = reject));
        const updates = records === 0 ? [] : [imported('a', 1)];
        const waiting = run.write(
          batchOf(updates, { batch: 1, settled: [['f', 'Filter']] }),
          before,
        );
        waiting.catch(() => undefined);
        await aWhile();
        fail(failure);
        await expect(waiting).rejects.toBe(failure);
        expect(await names()).toEqual([]);
        expect(await run.seen('run1', ['a', 'f'])).toEqual(new Map());
        expect(await written.stages()).toEqual([]);
      },
    );
  });

  describe('a record that is refused', () => {
    it('is told, and does not keep the others out', async () => {
      const updates = Array.from({ length: 20 }, (_, index) =>
        imported(`u${index}`, 5, { email: index % 7 === 3 ? 'a\u0000b' : 'a' }),
      );
      const outcomes = await run.write(batchOf(updates, { batch: 0 }));
      const refused = outcomes.flatMap((outcome, at) =>
        outcome.refused === undefined ? [] : [at],
      );
      expect(refused).toEqual([3, 10, 17]);
      expect(await written.identities()).toHaveLength(17);
      expect(await run.seen('run1', ['u3', 'u4'])).toEqual(
        new Map([
          ['u3', { as: 'Finalize', batch: 0 }],
          ['u4', { as: 'Merged', batch: 0 }],
        ]),
      );
    });

    it('may be one of an id that no warehouse can hold', async () => {
      const [outcome] = await run.write(batchOf([imported('a\u0000b', 5)]));
      expect(outcome?.refused).toBeDefined();
    });
  });

  describe('what a run has seen', () => {
    it('of an id that is written and was counted as something else before stays that', async () => {
      const batch = batchOf([imported('v', 5)], { batch: 1, settled: [['v', 'Filter']] });
      expect(await run.write(batch)).toEqual([{}]);
      expect(await run.seen('run1', ['v'])).toEqual(new Map([['v', { as: 'Filter', batch: 1 }]]));
      expect(await written.identities()).toHaveLength(1);
    });

    it('is told with the number of the batch, and the first outcome stays', async () => {
      const first = batchOf([imported('u', 5)], { batch: 3, settled: [['v', 'Filter']] });
      expect(await run.write(first)).toEqual([{}]);
      expect(await run.write(first)).toEqual([{ before: { as: 'Merged', batch: 3 } }]);
      const again = batchOf([imported('v', 5), imported('w', 5), imported('w', 6)], { batch: 4 });
      expect(await run.write(again)).toEqual([
        { before: { as: 'Filter', batch: 3 } },
        {},
        { before: { as: 'Merged', batch: 4 } },
      ]);
      expect(await run.seen('run1', ['u', 'v', 'x'])).toEqual(
        new Map([
          ['u', { as: 'Merged', batch: 3 }],
          ['v', { as: 'Filter', batch: 3 }],
        ]),
      );
    });

    it('is told with the time that was given first, of what was written, refused or left out', async () => {
      const times = new Map([
        ['u', 5n],
        ['v', -(2n ** 62n)],
        ['w', 7n],
      ]);
      const first = batchOf([imported('u', 5), imported('w', 7, { email: 'a\u0000b' })], {
        ...{ batch: 0, settled: [['v', 'Filter']] },
      });
      await run.write({ ...first, run: { ...first.run!, times } });
      const again = batchOf([imported('u', 9)], { batch: 1, settled: [['v', 'Filter']] });
      const later = new Map([...times].map(([id, time]) => [id, time + 1n]));
      await run.write({ ...again, run: { ...again.run!, times: later } });
      expect(await run.seen('run1', ['u', 'v', 'w'])).toEqual(
        new Map([
          ['u', { as: 'Merged', batch: 0, updatedAtUs: 5n }],
          ['v', { as: 'Filter', batch: 1, updatedAtUs: -(2n ** 62n) }],
          ['w', { as: 'Finalize', batch: 0, updatedAtUs: 7n }],
        ]),
      );
    });

    it('gets the number of a batch that counts it again', async () => {
      await run.write(batchOf([imported('u', 5)], { batch: 3, settled: [['v', 'Filter']] }));
      const settled = [['u', 'Merged'] as const, ['v', 'Receive'] as const];
      expect(await run.write(batchOf([], { batch: 8, settled }))).toEqual([]);
      expect(await run.seen('run1', ['u', 'v'])).toEqual(
        new Map([
          ['u', { as: 'Merged', batch: 8 }],
          ['v', { as: 'Filter', batch: 8 }],
        ]),
      );
    });

    it('is that of this run only, until it is forgotten', async () => {
      await run.write(batchOf([imported('u', 5)], { batch: 0 }));
      expect(await run.seen('run2', ['u'])).toEqual(new Map());
      await run.forget('run2');
      expect((await run.seen('run1', ['u'])).size).toBe(1);
      await run.forget('run1');
      expect((await run.seen('run1', ['u'])).size).toBe(0);
    });
  });

  describe('a purge', () => {
    const ids = async () => Object.keys(byId(await written.identities())).sort();

    it('deletes what the run has not seen or has left out, of its pipeline only', async () => {
      const all = ['failed', 'filtered', 'gone', 'merged'].map((id) => imported(id, 5));
      await run.write(batchOf(all));
      await run.write({
        ...batchOf([imported('other', 5)]),
        pipeline: 'pipeline00000002' as PipelineId,
      });
      const settled = [['failed', 'Transformation'] as const, ['filtered', 'Filter'] as const];
      await run.write(batchOf([imported('merged', 6)], { batch: 0, settled }));
      expect(await run.purge(PIPELINE, 'run1')).toBe(2);
      expect(await ids()).toEqual(['failed', 'merged', 'other']);
    });

    it('leaves an id of which the filter has not left out every record, in whichever batch', async () => {
      const all = ['left', 'same', 'later', 'failed'];
      await run.write(batchOf(all.map((id) => imported(id, 5))));
      const first = batchOf([], { batch: 1, settled: all.map((id) => [id, 'Filter'] as const) });
      await run.write({ ...first, run: { ...first.run!, unfiltered: new Set(['same']) } });
      const later = batchOf([imported('later', 6)], { batch: 2 });
      const unfiltered = new Set(['later', 'failed']);
      await run.write({ ...later, run: { ...later.run!, unfiltered } });
      // What was settled first, and where, is told as before.
      expect(await run.seen('run1', all)).toEqual(
        new Map(all.map((id) => [id, { as: 'Filter', batch: 1 }])),
      );
      expect(await run.purge(PIPELINE, 'run1')).toBe(1);
      expect(await ids()).toEqual(['failed', 'later', 'same']);
    });

    it('counts what it has deleted before, until the run is forgotten', async () => {
      await run.write(batchOf(['a', 'b', 'c'].map((id) => imported(id, 5))));
      await run.write(batchOf([imported('c', 6)], { batch: 0 }));
      expect(await run.purge(PIPELINE, 'run1')).toBe(2);
      expect(await run.purge(PIPELINE, 'run1')).toBe(2);
      await run.write(batchOf([imported('d', 5)]));
      expect(await run.purge(PIPELINE, 'run1')).toBe(3);
      await run.forget('run1');
      expect(await run.purge(PIPELINE, 'run1')).toBe(0);
    });

    it('deletes nothing for a run of which nothing is known', async () => {
      await run.write(batchOf([imported('u', 5)], { batch: 0 }));
      await run.forget('run1');
      expect(await run.purge(PIPELINE, 'run1')).toBe(0);
      expect(await ids()).toEqual(['u']);
    });
  });

  describe('the limits', () => {
    it('take a whole batch and no record more, and an empty one', async () => {
      const many = Array.from({ length: MAX_BATCH + 1 }, (_, at) => imported(`u${at}`, 5));
      await expect(run.write(batchOf(many))).rejects.toThrow(RangeError);
      expect(await written.identities()).toHaveLength(0);
      expect(await run.write(batchOf(many.slice(1)))).toHaveLength(MAX_BATCH);
      expect(await written.identities()).toHaveLength(MAX_BATCH);
      expect(await run.write(batchOf([]))).toEqual([]);
    });

    it.each([0, -1, 1.5, 2 ** 53])('do not take the epoch %d', async (epoch) => {
      await expect(newer(epoch)).rejects.toThrow(RangeError);
    });

    it('take the greatest epoch', async () => {
      await expect(newer(2 ** 53 - 1)).resolves.toBeDefined();
    });
  });

  describe('the fence', () => {
    const fenced = { kind: 'fenced' };

    it('lets the newest epoch write only, and other roles go on', async () => {
      const events = await writer.begin({ role: 'events', epoch: 1 });
      const successor = await newer(2);
      for (const attempt of [
        run.write(batchOf([imported('u', 5)], { batch: 0 })),
        run.purge(PIPELINE, 'run1'),
        run.forget('run1'),
      ])
        await expect(attempt).rejects.toMatchObject(fenced);
      await expect(newer(1)).rejects.toMatchObject(fenced);
      expect(await written.identities()).toHaveLength(0);
      await successor.write(batchOf([imported('u', 5)]));
      await events.write(batchOf([said('e', 5)]));
      expect(await written.identities()).toHaveLength(2);
    });

    it('may be begun again under the same epoch', async () => {
      await newer(1);
      await expect(run.write(batchOf([imported('u', 5)]))).resolves.toEqual([{}]);
    });
  });

  describe('the warehouse', () => {
    it('must be of the workspace', async () => {
      const other = await written.open({
        ...OPTIONS,
        workspace: 'workspace0000002' as WorkspaceId,
      });
      await expect(other.begin({ role, epoch: 2 })).rejects.toMatchObject({ kind: 'foreign' });
      await other.close();
    });

    it('must have the schema of profiles that the writer was opened with', async () => {
      await written.setSchemaVersion(2);
      const outdated = { kind: 'outdated' };
      await expect(run.write(batchOf([imported('u', 5)]))).rejects.toMatchObject(outdated);
      await expect(run.purge(PIPELINE, 'run1')).rejects.toMatchObject(outdated);
      await expect(newer(2)).rejects.toMatchObject(outdated);
      expect(await written.identities()).toHaveLength(0);
    });
  });
};
