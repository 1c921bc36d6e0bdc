import type { ConnectionId, PipelineId } from '@penstock/contracts';
import { EventEmitter, once } from 'node:events';
import { type ErasedRecord, MAX_ERASED } from './eraser';
import { erasedHash } from './erased-hash';
import { eraseAll, type Erasing, ErasingStage } from './erasing-stage.fixture';
import { NEVER } from './resolving.fixture';
import type { IdentityUpdate, IdentityWriter } from './warehouse-writer';
import { imported, OPTIONS, said } from './warehouse-writer.contract';

const PERSON = 'c0ffee00-0000-4000-8000-000000000001';
const ABSORBED = 'c0ffee00-0000-4000-8000-000000000002';
const NEIGHBOUR = 'c0ffee00-0000-4000-8000-000000000003';
const OTHER = 'c0ffee00-0000-4000-8000-000000000004';

const keyOf = ({ connection, anonymous, recordId }: ErasedRecord): string =>
  [connection, anonymous ? 'anonymous' : 'known', recordId].join(' ');

/** Where a person is taken out of: what fails there has changed nothing, and is done by the next one. */
const TAKING = [
  ...['_erasing', '_dirty', '_identity_keys', '_moving', '_identities', '_erased_profiles'],
  ...['_profile_history', '_profile_aliases', '_profiles', '_outbox', '_erased'],
];

/** Every implementation keeps these promises. */
export const itErases = (open: () => Promise<Erasing>): void => {
  let stage: ErasingStage;

  beforeAll(async () => {
    stage = await ErasingStage.open(await open());
  });
  beforeEach(() => stage.empty());
  afterAll(() => stage.close());

  /** Two people: one of four records, with what is theirs in every table, and a neighbour. */
  const putPeople = async (): Promise<void> => {
    await stage.write('c1', [
      ...[said('x', 2, {}, { anonymous: true }), said('u', 2, {}, { anonymousId: 'x' })],
      ...[said('v', 3, {}, { anonymousId: 'x' }), said('old', 1)],
    ]);
    await stage.write('c2', [imported('7', 2)]);
    await stage.resolve({
      profile: PERSON,
      where: "_record_id <> 'v'",
      owns: [{ connection: 'c1', recordId: 'u', anonymousId: 'x' }],
      absorbed: [ABSORBED],
    });
    await stage.resolve({ profile: NEIGHBOUR, where: "_record_id = 'v'" });
    for (const [user, anonymous] of [
      ['u', 'x'],
      ['v', 'x'],
      [undefined, 'x'],
      ['old', 'z'],
    ] as const)
      await stage.event('c1', anonymous, user);
  };

  describe('erasing', () => {
    it('tells what it has erased, and that the profile is gone', async () => {
      await putPeople();
      const eraser = await stage.eraser('one', PERSON);
      const { counts } = await eraseAll(eraser);
      expect(counts).toEqual({ profiles: 1, identities: 4, history: 1, events: 3 });
      expect(await eraser.next()).toEqual([]);
      expect(await stage.facts()).toEqual([
        { type: 'ProfileDeleted', id: PERSON, reason: 'erased' },
      ]);
      expect(await stage.column('_profiles', '_profile_id')).toEqual([NEIGHBOUR]);
      expect(await stage.column('_erased_profiles', 'profile_id')).toEqual([PERSON, ABSORBED]);
      expect(await stage.cells('_events', 'user_id', 'profile_id')).toEqual([['v', NEIGHBOUR]]);
      expect(await stage.cells('_identity_keys', 'key', 'mask')).toHaveLength(1);
    });

    it('erases the survivor of a profile that was absorbed', async () => {
      await putPeople();
      await eraseAll(await stage.eraser('one', ABSORBED));
      expect(await stage.column('_profiles', '_profile_id')).toEqual([NEIGHBOUR]);
      expect(await stage.column('_profile_aliases', 'alias')).toEqual([]);
    });

    it('names the records whose events it erases next, and erases nobody twice', async () => {
      await putPeople();
      const eraser = await stage.eraser('one', PERSON);
      await eraser.take(NEVER);
      const next = await eraser.next();
      const keys = ['c1 anonymous x', 'c1 known old', 'c1 known u', 'c2 known 7'];
      expect(next.map(keyOf).sort()).toEqual(keys);
      expect(await stage.column('_erased', 'hash')).toEqual(
        next.map((record) => erasedHash(OPTIONS.keyedHash, record)).sort(),
      );
      const { counts } = await eraseAll(eraser);
      expect(await eraseAll(await stage.eraser('one', PERSON))).toEqual({ counts, isLast: true });
      const again = await eraseAll(await stage.eraser('two', PERSON));
      expect(again.counts).toEqual({ profiles: 0, identities: 0, history: 0, events: 0 });
    });

    it('erases what was removed and nobody has resolved since, and anonymous ids however long', async () => {
      const long = 'l'.repeat(2_500);
      await stage.write('c1', [said('gone', 1)], 'b');
      await stage.write('c1', [said('u', 5, {}, { anonymousId: long }), said('v', 1)]);
      const owns = [{ connection: 'c1', recordId: 'u', anonymousId: long }];
      await stage.resolve({ profile: PERSON, where: "_record_id <> 'v'", owns });
      await stage.event('c1', long);
      await stage.event('c1', 'z', 'gone');
      await stage.remove('c1b');
      const { counts } = await eraseAll(await stage.eraser('one', PERSON));
      expect(counts).toMatchObject({ profiles: 1, identities: 1, events: 2 });
      await stage.write('c1', [said('gone', 9), said(long, 9, {}, { anonymous: true })]);
      expect(await stage.recordIds()).toEqual(['v']);
      expect(await stage.cells('_identity_keys', 'identity')).toEqual([]);
      expect(await stage.column('_dirty', 'change')).toEqual(['added']);
    });

    it('knows whose an anonymous id is while everything is resolved anew', async () => {
      await putPeople();
      const named = { anonymousId: 'alone' };
      await stage.write('c1', [said('u', 5, {}, named), said('v', 6, {}, named)]);
      await stage.event('c1', 'alone');
      await stage.takeApart();
      await eraseAll(await stage.eraser('one', NEIGHBOUR));
      expect(await stage.eventsOf()).toEqual(['alone', 'old', 'u', 'x']);
      await eraseAll(await stage.eraser('two', PERSON));
      expect(await stage.eventsOf()).toEqual([]);
      await stage.event('c1', 'alone');
      expect(await stage.eventsOf()).toEqual([]);
    });

    it('erases identities without a profile, whatever they are marked for', async () => {
      await putPeople();
      await stage.write('c1', [said('u', 9)], 'b');
      await stage.erasing.run(`DELETE FROM ${stage.at('_dirty')}`);
      const { counts } = await eraseAll(await stage.eraser('one', PERSON));
      expect(counts).toMatchObject({ identities: 5 });
      expect(await stage.recordIds()).toEqual(['v']);
    });

    it('erases the same records of another profile, as while everything is resolved anew, and has that one looked into', async () => {
      await putPeople();
      await stage.write('c1', [said('u', 4), said('w', 4)], 'b');
      const where = "_record_id = 'w' OR _record_id = 'u' AND _pipeline = 'c1b'";
      await stage.resolve({ profile: OTHER, where });
      await eraseAll(await stage.eraser('one', PERSON));
      expect(await stage.recordIds()).toEqual(['v', 'w']);
      expect(await stage.column('_profiles', '_profile_id')).toEqual([NEIGHBOUR, OTHER]);
      expect(await stage.cells('_dirty', 'change', 'profile_id')).toEqual([['removed', OTHER]]);
      expect(await stage.cells('_identity_keys', 'identity')).toHaveLength(3);
    });

    it('erases a person of as many identities as there may be, and nobody of more', async () => {
      await stage.erasing.run(
        `INSERT INTO ${stage.at('_profiles')} (_profile_id, _identities) VALUES ('${PERSON}', 0)`,
      );
      await stage.erasing.run(
        `INSERT INTO ${stage.at('_identities')} (_connection, _pipeline, _record_id, _anonymous, _profile_id)
         SELECT 'c1', CASE WHEN n = 0 THEN 'c1b' ELSE 'c1a' END, 'u' || n, false, '${PERSON}'
         FROM ${stage.erasing.numbers(MAX_ERASED + 1)} AS numbers`,
      );
      const before = await stage.contents();
      const eraser = await stage.eraser('one', PERSON);
      expect(await eraser.take(NEVER)).toBe(false);
      expect(await eraser.next()).toEqual([]);
      expect(await stage.contents()).toEqual(before);
      // One that was removed counts like the others.
      await stage.remove('c1b');
      expect(await eraser.take(NEVER)).toBe(false);
      await stage.erasing.run(`DELETE FROM ${stage.at('_dirty')}`);
      expect(await eraser.take(NEVER)).toBe(true);
      expect(await stage.recordIds()).toEqual([]);
      expect(await stage.column('_erased', 'hash')).toHaveLength(MAX_ERASED);
    });

    it('takes a person wholly or not at all, wherever it fails', async () => {
      await putPeople();
      const before = await stage.contents();
      const eraser = await stage.eraser('one', PERSON);
      for (const table of TAKING) {
        await stage.erasing.whileFailing(table, () => eraser.take(NEVER));
        expect(await stage.contents()).toEqual(before);
      }
      expect(await eraser.take(NEVER)).toBe(true);
      const taken = await stage.contents();
      for (const table of ['_events', '_erasing', '_erasures']) {
        await stage.erasing.whileFailing(table, () => eraser.eraseEvents(NEVER));
        expect(await stage.contents()).toEqual(taken);
      }
      expect((await eraseAll(eraser)).counts).toMatchObject({ identities: 4, events: 3 });
      expect(await stage.erasing.stages()).toEqual([]);
    });

    it('is fenced, and given up without a trace', async () => {
      await putPeople();
      const before = await stage.contents();
      const old = await stage.eraser('one', PERSON);
      await stage.eraser('one', PERSON);
      for (const work of [() => old.take(NEVER), () => old.next(), () => old.eraseEvents(NEVER)])
        await expect(work()).rejects.toMatchObject({ kind: 'fenced' });
      const eraser = await stage.eraser('one', PERSON);
      const given = AbortSignal.abort(new Error('no longer'));
      await expect(eraser.take(given)).rejects.toThrow();
      expect(await stage.contents()).toEqual(before);
      expect(await eraser.take(NEVER)).toBe(true);
      await expect(eraser.eraseEvents(given)).rejects.toThrow();
      expect(await eraser.next()).toHaveLength(4);
      expect(await stage.erasing.stages()).toEqual([]);
    });

    it('erases many records and events in pieces', async () => {
      const [records, events] = [1_100, 12_000];
      const updates = Array.from({ length: records }, (_, at) => said(`u${String(at)}`, 1));
      await stage.write('c1', [...updates, said('v', 1)]);
      await stage.resolve({ profile: PERSON, where: "_record_id <> 'v'" });
      const names = ['received_at', 'sent_at', 'original_timestamp', 'timestamp'];
      const columns = ['connection_id', 'anonymous_id', 'message_id', 'user_id', 'type', 'traits'];
      // One user has more events than a transaction deletes.
      await stage.erasing.run(
        `INSERT INTO ${stage.at('_events')} (${[...columns, ...names].map((name) => stage.erasing.column(name)).join(', ')})
         SELECT 'c1', 'x', 'p' || n, CASE WHEN MOD(n, 40) = 0 THEN 'v' WHEN n < 11000 THEN 'u0' ELSE 'u' || MOD(n, ${String(records)}) END,
                'track', ${stage.erasing.json('{}')}, ${names.map(() => 'CURRENT_TIMESTAMP').join(', ')}
         FROM ${stage.erasing.numbers(events)} AS numbers`,
      );
      const eraser = await stage.eraser('one', PERSON);
      expect(await eraser.take(NEVER)).toBe(true);
      let pieces = 0;
      let counts = { events: 0 };
      for (let isLast = false; !isLast; pieces += 1) {
        await stage.write('c1', [said('u1', 2), said('v', 2 + pieces)]);
        ({ counts, isLast } = await eraser.eraseEvents(NEVER));
      }
      expect(pieces).toBeGreaterThan(1);
      expect(counts.events).toBe(events - events / 40);
      expect(await stage.recordIds()).toEqual(['v']);
      expect(new Set(await stage.column('_events', 'user_id'))).toEqual(new Set(['v']));
    });
  });

  describe('leaving out', () => {
    it('what comes again, from imports and from events, and nothing of others', async () => {
      await putPeople();
      await eraseAll(await stage.eraser('one', PERSON));
      await stage.write('c1', [said('u', 9), said('v', 9)]);
      await stage.write('c1', [said('x', 9, {}, { anonymous: true }), imported('u', 9)], 'b');
      await stage.write('c2', [imported('7', 9), imported('u', 9), imported('8', 9)]);
      for (const [user, anonymous] of [
        ['u', 'n'],
        [undefined, 'x'],
        ['v', 'x'],
        [undefined, 'n'],
      ] as const)
        await stage.event('c1', anonymous, user);
      expect(await stage.recordIds()).toEqual(['8', 'u', 'v']);
      expect((await stage.erasing.identities()).map(({ connection }) => connection).sort()).toEqual(
        ['c1', 'c2', 'c2'],
      );
      const alias = (userId: string, previousId: string) =>
        Object.assign(stage.eventOf('c1', 'n', userId), { type: 'alias', previousId });
      const writer = await stage.writers.beginEvents({ role: 'events', epoch: 1 });
      await writer.write([alias('new', 'u'), alias('v', 'new')]);
      expect(await stage.eventsOf()).toEqual(['n', 'v', 'v', 'v']);
    });

    it('tells a run of a record that is left out that it was merged', async () => {
      await putPeople();
      await eraseAll(await stage.eraser('one', PERSON));
      const run = { id: 'run1', batch: 0, settled: new Map() };
      const of = { connection: 'c2' as ConnectionId, pipeline: 'c2a' as PipelineId, run };
      const updates = [imported('7', 9), imported('9', 9)];
      expect(await stage.identities.write({ ...of, updates })).toEqual([{}, {}]);
      expect(await stage.recordIds()).toEqual(['9', 'v']);
    });

    /** Stages a batch. @returns what merges it */
    const staged = async (
      writer: IdentityWriter,
      updates: readonly IdentityUpdate[],
    ): Promise<() => Promise<unknown>> => {
      const turn = new EventEmitter();
      const tables = (await stage.erasing.stages()).length;
      const of = { connection: 'c1' as ConnectionId, pipeline: 'c1a' as PipelineId };
      const written = writer.write({ ...of, updates }, once(turn, 'merge'));
      while ((await stage.erasing.stages()).length === tables);
      return () => {
        turn.emit('merge');
        return written;
      };
    };

    it('of every batch that was staged before an erasure', async () => {
      await stage.write('c1', [said('u', 1)]);
      await stage.resolve({ profile: PERSON, where: "_record_id = 'u'" });
      const writers = await stage.erasing.open(OPTIONS);
      const writer = await writers.begin({ role: 'run run2', epoch: 1 });
      const merges = [
        await staged(writer, [said('u', 2), said('v', 2)]),
        await staged(writer, [said('u', 3), said('w', 3)]),
      ];
      await eraseAll(await stage.eraser('one', PERSON));
      for (const merge of merges) await merge();
      await writers.close();
      expect(await stage.recordIds()).toEqual(['v', 'w']);
    });

    it('of the previous ids of others', async () => {
      await stage.write('c1', [said('u', 1), said('x', 1, {}, { anonymous: true })]);
      await stage.resolve({ profile: PERSON, where: "_record_id = 'u'" });
      await eraseAll(await stage.eraser('one', PERSON));
      const previous = (id: string, previousId: string, at: number) =>
        said(id, at, {}, { previousId });
      await stage.write('c1', [
        ...['x', 'u', 't', 'u'].map((id, at) => previous('v', id, at)),
        previous('w', 'u', 1),
        previous('u', 'w', 1),
      ]);
      await stage.write('c2', [previous('v', 'u', 1)]);
      const rows = await stage.erasing.identities();
      expect(rows.map((row) => [row.connection, row.recordId, row.previousIds])).toEqual([
        ['c1', 'x', []],
        ['c1', 'v', ['t', 'x']],
        ['c1', 'w', []],
        ['c2', 'v', ['u']],
      ]);
    });
  });
};
