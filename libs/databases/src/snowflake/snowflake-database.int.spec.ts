import { setTimeout as sleep } from 'node:timers/promises';
import { databaseContract } from '../database/database.contract';
import { call, NO_VALUES, readAll, settingsOf } from '../reading.fixture';
import { standOfSpecs } from './snowflake-stand.fixture';

jest.setTimeout(120_000);

const stand = standOfSpecs();

databaseContract(stand);

it('a query may end with a semicolon or a comment, and closes no parenthesis of ours', async () => {
  const settings = settingsOf(stand().settings());
  const rows = async (text: string) => (await readAll(stand().database, settings, text)).records;
  expect(await rows("SELECT 'a;' AS x ; \n")).toEqual(['{"X":"a;"}']);
  expect(await rows("SELECT 'a' AS x -- the end")).toEqual(['{"X":"a"}']);
  await expect(rows('SELECT 1 AS x); DELETE FROM people; SELECT (1')).rejects.toMatchObject({
    kind: 'InvalidQuery',
  });
  expect(await rows('SELECT id FROM people')).toHaveLength(2);
});

const sessions = async (): Promise<number> => (await stand().server.count('')).sessions;

/** Reads in part, and gives reading up. @returns how many sessions are left that were not there before. */
const leftOver = async (): Promise<number> => {
  const before = await sessions();
  const settings = settingsOf(stand().settings());
  const controller = new AbortController();
  const query = { text: `SELECT n FROM ${stand().numbers(20_000)}`, values: NO_VALUES };
  const early = await stand().database.query(query, settings, call());
  for await (const batch of early.records) {
    expect(batch.length).toBeGreaterThan(0);
    break;
  }
  await stand().database.query(query, settings, call(controller.signal));
  controller.abort();
  const deadline = Date.now() + 10_000;
  while ((await sessions()) > before && Date.now() < deadline) await sleep(50);
  return (await sessions()) - before;
};

it('leaves no session behind, however reading ends', async () => {
  // A session that a busy server does not end in time is given up.
  for (let tries = 0; tries < 2; tries += 1) if ((await leftOver()) <= 0) return;
  expect(await leftOver()).toBeLessThanOrEqual(0);
}, 90_000);
