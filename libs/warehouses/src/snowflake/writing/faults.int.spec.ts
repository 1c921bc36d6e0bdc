import { SnowflakeSession } from '@penstock/databases';
import { setTimeout as sleep } from 'node:timers/promises';
import type { IdentityWriter } from '../../platform/warehouse-writer';
import {
  batchOf,
  byId,
  CONNECTION,
  imported,
  MINE,
  OPTIONS,
  said,
} from '../../platform/warehouse-writer.contract';
import { erasedHash } from '../../platform/erased-hash';
import { endStuck } from '../layout/end-stuck';
import { lockWarehouse } from '../layout/guard';
import { LOCAL_SOCKETS, snowflakeOfSpecs, type WrittenStage, writtenStage } from '../stage.fixture';
import type { SnowflakeWriter } from './snowflake-writer';

jest.setTimeout(180_000);

const ROLE = 'run run1';

const server = snowflakeOfSpecs();
let written: WrittenStage;
let writers: SnowflakeWriter;
let writer: IdentityWriter;

beforeEach(async () => {
  written = await writtenStage(server(), MINE);
  writers = await written.open(OPTIONS);
  writer = await writers.begin({ role: ROLE, epoch: 1 });
});
afterEach(async () => {
  await writers.close();
  await written.close();
});

const dirty = () =>
  written.stage.rows(
    `SELECT "CHANGE", COUNT(*) FROM ${written.stage.at('_DIRTY')} GROUP BY "CHANGE" ORDER BY 1`,
  );

it('a row that the server refuses is isolated, without its value, and the others are written', async () => {
  const { stage } = written;
  for (const name of ['_IDENTITIES', '_PROFILES'])
    for (const change of ['DROP COLUMN "EMAIL"', 'ADD COLUMN "EMAIL" NUMBER(9,0)'])
      await stage.rows(`ALTER TABLE ${stage.at(name)} ${change}`);
  const updates = Array.from({ length: 12 }, (_, at) =>
    imported(`u${String(at)}`, 5, { email: at % 5 === 2 ? 'secret' : '7' }),
  );
  const outcomes = await writer.write(batchOf(updates, { batch: 0 }));
  const refused = outcomes.flatMap((outcome, at) => (outcome.refused === undefined ? [] : [at]));
  expect(refused).toEqual([2, 7]);
  for (const at of refused) expect(outcomes[at]?.refused).not.toContain('secret');
  expect(await writer.seen('run1', ['u2', 'u3'])).toEqual(
    new Map([
      ['u2', { as: 'Finalize', batch: 0 }],
      ['u3', { as: 'Merged', batch: 0 }],
    ]),
  );
  const rows = await stage.rows(`SELECT COUNT(*) FROM ${stage.at('_IDENTITIES')}`);
  expect(rows).toEqual([['10']]);
  expect(await dirty()).toEqual([['added', '10']]);
  expect(await written.stages()).toEqual([]);
});

it('a session that is given up while it waits has written nothing', async () => {
  const cut = new AbortController();
  const own = await written.stage.writer(OPTIONS, cut.signal);
  const cutting = await own.begin({ role: ROLE, epoch: 1 });
  const { stage } = written;
  await stage.rows('BEGIN');
  await lockWarehouse(stage.owner, stage.place);
  const waiting = cutting.write(batchOf([imported('u', 5)], { batch: 0 }));
  const rejected = expect(waiting).rejects.toMatchObject({ kind: 'unreachable' });
  await sleep(1_500);
  cut.abort();
  await rejected;
  await stage.rows('ROLLBACK');
  expect(await written.identities()).toEqual([]);
});

describe.each([
  ['before', false],
  ['after', true],
])('a session that is lost %s its commit', (_, commits) => {
  afterEach(() => jest.restoreAllMocks());

  it('leaves all of a batch or nothing, and the batch may be written again', async () => {
    const batch = batchOf([imported('u', 5, { email: 'a' })], { batch: 3 });
    const rows = SnowflakeSession.prototype.rows;
    let isLost = false;
    jest.spyOn(SnowflakeSession.prototype, 'rows').mockImplementation(async function (
      this: SnowflakeSession,
      ...given: Parameters<typeof rows>
    ) {
      if (given[0] !== 'COMMIT' || isLost) return rows.apply(this, given);
      isLost = true;
      if (commits) await rows.apply(this, given);
      throw new Error('the connection is lost');
    });
    await expect(writer.write(batch)).rejects.toMatchObject({ kind: 'unreachable' });
    expect(isLost).toBe(true);
    expect(await written.identities()).toHaveLength(commits ? 1 : 0);
    const known = commits ? { before: { as: 'Merged', batch: 3 } } : {};
    expect(await writer.write(batch)).toEqual([known]);
    expect(await written.identities()).toHaveLength(1);
    expect(await dirty()).toEqual([['added', '1']]);
  });
});

it('a writer that is frozen with the lock is ended, and what it has written is gone', async () => {
  const { stage } = written;
  const call = { sockets: LOCAL_SOCKETS, signal: AbortSignal.timeout(170_000) };
  const frozen = await SnowflakeSession.open(stage.target, call);
  await frozen.rows('BEGIN');
  await lockWarehouse(frozen, stage.place);
  await frozen.rows(`INSERT INTO ${stage.at('_MATCHES')} VALUES ('p', 'e', 'v')`);
  expect(await endStuck(stage.owner, stage.place)).toBe(false);
  const waiting = writer.write(batchOf([imported('u', 5)]));
  await sleep(500);
  expect(await endStuck(stage.owner, stage.place, 0)).toBe(true);
  expect(await waiting).toEqual([{}]);
  await expect(frozen.rows('COMMIT')).rejects.toBeDefined();
  expect(await stage.rows(`SELECT COUNT(*) FROM ${stage.at('_MATCHES')}`)).toEqual([['0']]);
  await frozen.close();
});

it('any batches, in any order and repeated, leave the same identities as one after the other', async () => {
  const updates = Array.from({ length: 60 }, (_, at) => {
    const id = `u${String(at % 7)}`;
    const time = (at * 37) % 11;
    if (at % 3 === 0) return imported(id, time, { email: String(at) }, `run${String(at % 2)}`);
    const values = at % 2 === 0 ? { email: String(at) } : { last_name: String(at) };
    return said(id, time, values, {
      tieBreaker: `m${String(at)}`,
      anonymousId: `a${String(at % 4)}`,
      previousId: `p${String(at % 3)}`,
    });
  });
  const parts = [updates.slice(0, 25), updates.slice(25, 40), updates.slice(40)];
  for (const part of [...parts, ...parts].reverse()) await writer.write(batchOf(part));
  const other = await writtenStage(server(), MINE);
  const others = await other.open(OPTIONS);
  const once = await others.begin({ role: ROLE, epoch: 1 });
  for (const update of [updates]) await once.write(batchOf(update));
  expect(byId(await written.identities())).toEqual(byId(await other.identities()));
  await others.close();
  await other.close();
});

it('leaves out who was erased, and whom previous ids name', async () => {
  const { stage } = written;
  for (const recordId of ['gone', 'previous']) {
    const hash = erasedHash(OPTIONS.keyedHash, {
      connection: CONNECTION,
      anonymous: false,
      recordId,
    });
    await stage.rows(`INSERT INTO ${stage.at('_ERASED')} VALUES ('${CONNECTION}', '${hash}')`);
  }
  const ids = (previousId: string) => said('u', 5, {}, { previousId });
  const batch = batchOf([imported('gone', 5), ids('previous'), ids('kept')], { batch: 0 });
  expect(await writer.write(batch)).toEqual([{}, {}, { before: { as: 'Merged', batch: 0 } }]);
  const identities = await written.identities();
  expect(identities.map(({ recordId, previousIds }) => [recordId, previousIds])).toEqual([
    ['u', ['kept']],
  ]);
});

it('marks what is added, changed and removed, once', async () => {
  await writer.write(batchOf(['a', 'b', 'c'].map((id) => imported(id, 5, { email: 'x' }))));
  expect(await dirty()).toEqual([['added', '3']]);
  await written.stage.rows(`DELETE FROM ${written.stage.at('_DIRTY')}`);
  await writer.write(batchOf([imported('a', 4), imported('b', 6)]));
  expect(await dirty()).toEqual([['changed', '1']]);
  await writer.write(batchOf([imported('b', 7)], { batch: 0 }));
  expect(await writer.purge(batchOf([]).pipeline, 'run1')).toBe(2);
  expect(await dirty()).toEqual([
    ['changed', '1'],
    ['removed', '2'],
  ]);
  expect(await writers.pipelines(5)).toEqual([batchOf([]).pipeline]);
});
