import { createHash } from 'node:crypto';
import { LeaseLost } from '../engine/lease-lost';
import type { TakenKey } from '../engine/run-ledger';
import type { PostgresRunStore } from './postgres-run-store';
import { aBatch, aRun, StoreDatabase } from './store.fixture';

jest.setTimeout(600_000);

const database = StoreDatabase.forEachTest();
let store: PostgresRunStore;

beforeEach(async () => {
  store = await database.open();
});

const claimed = async () => {
  const run = await store.claim('w1');
  if (run === undefined) throw new Error('there is nothing to claim');
  return run;
};

const claimedExport = async () => {
  await store.accept([aRun({ incremental: null })]);
  return claimed();
};

const keyOf = (value: string): Buffer => createHash('sha256').update(value).digest();
const valueOf = (value: string, profile: string): TakenKey => ({ key: keyOf(value), profile });
const owner = (profile: string | null, mayBeCreated = false) => ({ profile, mayBeCreated });

it('a value is that of one profile, or of several, however often it is registered', async () => {
  const { run, epoch } = await claimedExport();
  const ledger = store.ledger(run, epoch);
  const values = [valueOf('a', 'p1'), valueOf('b', 'p2'), valueOf('c', 'p3'), valueOf('c', 'p4')];
  const owners = [owner('p1'), owner('p2'), owner(null), owner(null)];
  expect(await ledger.registerValues(values)).toEqual(owners);
  expect(await ledger.registerValues(values)).toEqual(owners);
  expect(await ledger.registerValues([valueOf('b', 'p5'), valueOf('d', 'p5')])).toEqual([
    owner(null),
    owner('p5'),
  ]);
  expect(await ledger.registerValues([...values.slice(0, 3), valueOf('b', 'p5')])).toEqual([
    ...[owner('p1'), owner(null), owner(null), owner(null)],
  ]);
  expect(await ledger.registerValues([])).toEqual([]);
});

it('values are those of one run', async () => {
  const one = await claimedExport();
  const other = await claimedExport();
  await store.ledger(one.run, one.epoch).registerValues([valueOf('a', 'p1')]);
  const ledger = store.ledger(other.run, other.epoch);
  expect(await ledger.registerValues([valueOf('a', 'p2')])).toEqual([owner('p2')]);
});

it('users of a batch that was never settled may have been created, until one with them is settled', async () => {
  const { run, epoch } = await claimedExport();
  const values = [valueOf('a', 'p1'), valueOf('b', 'p2')];
  const ledger = store.ledger(run, epoch);
  await ledger.registerValues(values);
  await ledger.markCreated(1, [keyOf('a')]);
  await ledger.settle(aBatch(1));
  expect(await ledger.registerValues(values)).toEqual([owner('p1'), owner('p2')]);
  await ledger.markCreated(2, [keyOf('b'), keyOf('unknown')]);
  await store.release(run, epoch);
  const again = await claimed();
  const next = store.ledger(run, again.epoch);
  expect(await next.registerValues(values)).toEqual([owner('p1'), owner('p2', true)]);
  await next.markCreated(again.nextBatch, [keyOf('b')]);
  expect(await next.registerValues(values)).toEqual([owner('p1'), owner('p2', true)]);
  await next.settle(aBatch(again.nextBatch));
  expect(await next.registerValues(values)).toEqual([owner('p1'), owner('p2')]);
});

it('a worker that has lost the run neither registers values nor is about to create users', async () => {
  const { run, epoch } = await claimedExport();
  const old = store.ledger(run, epoch);
  await old.registerValues([valueOf('a', 'p1')]);
  await store.release(run, epoch);
  const { epoch: newer } = await claimed();
  await expect(old.registerValues([valueOf('a', 'p2')])).rejects.toBeInstanceOf(LeaseLost);
  await expect(old.markCreated(1, [keyOf('a')])).rejects.toBeInstanceOf(LeaseLost);
  await expect(old.markCreated(1, [])).rejects.toBeInstanceOf(LeaseLost);
  const ledger = store.ledger(run, newer);
  await ledger.markCreated(1, []);
  expect(await ledger.registerValues([valueOf('a', 'p1')])).toEqual([owner('p1')]);
});

it('all values are forgotten with the run', async () => {
  const { run, epoch } = await claimedExport();
  await store.ledger(run, epoch).registerValues([valueOf('a', 'p1'), valueOf('b', 'p2')]);
  await store.forgetKeys(run);
  const { rows } = await database.pool.query('SELECT FROM penstock_runs.export_keys');
  expect(rows).toEqual([]);
});
