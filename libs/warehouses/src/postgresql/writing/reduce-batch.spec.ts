import { FIRST_PROFILE_SCHEMA } from '@penstock/contracts';
import { imported, said } from '../../platform/warehouse-writer.contract';
import { profileColumns } from '../columns/profile-columns';
import { reduceBatch } from './reduce-batch';
import { StagedIdentity } from './staged-identity';

const COLUMNS = profileColumns(FIRST_PROFILE_SCHEMA.schema);

it('writes a single record as it would one of several', () => {
  for (const record of [
    imported('a\tb\\', 1_700_000_000_123_456n, { email: 'x\ty' }, 'tie "\\" \t'),
    imported('u', -1, { last_name: '\\N' }),
  ])
    expect(reduceBatch([record], COLUMNS).rows[0]?.text).toBe(
      new StagedIdentity(record.recordId, false, COLUMNS, record).row(),
    );
});

it('writes moments of every year in their order', () => {
  const moments = [-62_135_596_800_000_000n, -1_000_001n, -1n, 0n, 999n, 253_402_300_799_999_999n];
  const texts = moments.map(
    (us) => reduceBatch([imported('u', us)], COLUMNS).rows[0]?.text.split('\t')[4],
  );
  expect(texts).toEqual([
    '0001-01-01T00:00:00.000000Z',
    '1969-12-31T23:59:58.999999Z',
    '1969-12-31T23:59:59.999999Z',
    '1970-01-01T00:00:00.000000Z',
    '1970-01-01T00:00:00.000999Z',
    '9999-12-31T23:59:59.999999Z',
  ]);
  expect([...texts].sort()).toEqual(texts);
});

it('has a row for each identity, with the places of its updates', () => {
  const { rows } = reduceBatch(
    [said('u', 1), said('v', 1), said('u', 2), said('u', 3, {}, { anonymous: true })],
    COLUMNS,
  );
  expect(rows.map(({ recordId, places }) => [recordId, places])).toEqual([
    ['u', [0, 2]],
    ['v', [1]],
    ['u', [3]],
  ]);
});

it.each([
  ['a value', imported('u', 1, { email: 'a\u0000' })],
  ['the record id', imported('a\u0000', 1)],
  ['the tie-breaker', imported('u', 1, {}, 'a\u0000')],
  ['a linked id', said('u', 1, {}, { anonymousId: 'a\u0000' })],
  ['a previous id', said('u', 1, {}, { previousId: 'a\u0000' })],
])('refuses an update with NUL in %s, and keeps the others of the identity', (_, update) => {
  const good = said(update.recordId === 'u' ? 'u' : 'v', 2);
  const { rows, refused } = reduceBatch([good, update], COLUMNS);
  expect([...refused.keys()]).toEqual([1]);
  expect(rows.map(({ places }) => places)).toEqual([[0]]);
});

it('takes texts that only look like NUL, and refuses an empty record id', () => {
  expect(reduceBatch([imported('u', 1, { email: '\\u0000' })], COLUMNS).refused.size).toBe(0);
  expect([...reduceBatch([imported('', 1)], COLUMNS).refused.values()]).toEqual([
    'record id is empty',
  ]);
});
