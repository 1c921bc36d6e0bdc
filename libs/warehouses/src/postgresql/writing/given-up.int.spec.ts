import { getEventListeners } from 'node:events';
import { setTimeout } from 'node:timers/promises';
import { batchOf, imported, MINE, OPTIONS } from '../../platform/warehouse-writer.contract';
import { SCHEMA } from '../stage.fixture';
import { type WrittenStage, writtenStage } from './written-stage.fixture';

jest.setTimeout(60_000);

let written: WrittenStage;

beforeEach(async () => {
  written = await writtenStage(MINE);
});
afterEach(() => written.close());

const open = async (signal: AbortSignal) => {
  const writers = await written.stage.writer(written.loader, OPTIONS, signal);
  return { writers, writer: await writers.begin({ role: 'run run1', epoch: 1 }) };
};

const statementsThatWait = async (): Promise<number> => {
  // A transaction sees what was there at its first look, unless it forgets that.
  await written.stage.run('SELECT pg_stat_clear_snapshot()');
  const rows = await written.stage.rows(
    `SELECT pid FROM pg_stat_activity
      WHERE datname = current_database() AND application_name = 'penstock-warehouse'
        AND wait_event_type = 'Lock'`,
  );
  return rows.length;
};

const until = async (isSo: () => Promise<boolean>): Promise<void> => {
  for (const endMs = performance.now() + 20_000; !(await isSo()); await setTimeout(10))
    if (performance.now() > endMs) throw new Error('it did not become so');
};

it('does not write later what was given up while it waited', async () => {
  const control = new AbortController();
  const { writers, writer } = await open(control.signal);
  await writer.write(batchOf([imported('u', 5, { email: 'before' })]));
  await written.stage.run('BEGIN', `SELECT FROM ${SCHEMA}._identities FOR UPDATE`);
  const writing = writer.write(batchOf([imported('u', 6, { email: 'after' })]));
  await until(async () => (await statementsThatWait()) > 0);
  control.abort(new Error('given up'));
  await expect(writing).rejects.toThrow();
  await until(async () => (await statementsThatWait()) === 0);
  await written.stage.run('COMMIT');
  await setTimeout(100);
  expect(await written.identities()).toMatchObject([
    { recordId: 'u', values: { email: 'before' } },
  ]);
  await writers.close();
});

it('leaves nothing that waits for its signal when it is closed', async () => {
  const { signal } = new AbortController();
  for (let each = 0; each < 3; each += 1) await (await open(signal)).writers.close();
  expect(getEventListeners(signal, 'abort')).toEqual([]);
});
