import { FIRST_PROFILE_SCHEMA } from '@penstock/contracts';
import { JsonText, type Property } from '@penstock/schema';
import type { IdentityUpdate } from '../../platform/warehouse-writer';
import { imported, said } from '../../platform/warehouse-writer.contract';
import { type ProfileColumn, profileColumns } from '../columns/profile-columns';
import { IdentityState } from '../../merging/identity-state';
import { reduceBatch as reduceBy } from '../../merging/reduce-batch';
import { MAX_FIELDS, Turns } from '../../merging/turns';
import { COPY_FORM, copyRow } from './staged-identity';

const COLUMNS = profileColumns(FIRST_PROFILE_SCHEMA.schema);

const reduceBatch = (
  updates: readonly IdentityUpdate[],
  columns: readonly ProfileColumn[],
  turns = new Turns(),
) => reduceBy(updates, columns, COPY_FORM, turns);

it('writes a single record as it would one of several', async () => {
  for (const record of [
    imported('a\tb\\', 1_700_000_000_123_456n, { email: 'x\ty' }, 'tie "\\" \t'),
    imported('u', -1, { last_name: '\\N' }),
  ])
    expect((await reduceBatch([record], COLUMNS)).rows[0]?.made).toBe(
      copyRow(new IdentityState(record.recordId, false, COLUMNS, record), COLUMNS),
    );
});

it('writes moments of every year in their order', async () => {
  const moments = [-62_135_596_800_000_000n, -1_000_001n, -1n, 0n, 999n, 253_402_300_799_999_999n];
  const texts: (string | undefined)[] = [];
  for (const us of moments) {
    const { rows } = await reduceBatch([imported('u', us)], COLUMNS);
    texts.push(rows[0]?.made.split('\t')[4]);
  }
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

it('has a row for each identity, with the places of its updates', async () => {
  const { rows } = await reduceBatch(
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
])('refuses an update with NUL in %s, and keeps the others of the identity', async (_, update) => {
  const good = said(update.recordId === 'u' ? 'u' : 'v', 2);
  const { rows, refused } = await reduceBatch([good, update], COLUMNS);
  expect([...refused.keys()]).toEqual([1]);
  expect(rows.map(({ places }) => places)).toEqual([[0]]);
});

it('takes texts that only look like NUL, and refuses an empty record id', async () => {
  const like = await reduceBatch([imported('u', 1, { email: '\\u0000' })], COLUMNS);
  expect(like.refused.size).toBe(0);
  expect([...(await reduceBatch([imported('', 1)], COLUMNS)).refused.values()]).toEqual([
    'record id is empty',
  ]);
});

it('refuses an update whose JSON is far longer when it is read, and names the property', async () => {
  const columns = profileColumns({
    kind: 'object',
    properties: [{ name: 'score', type: { kind: 'json' } }] as never,
  });
  const json = (us: number, text: string) => imported('u', us, { score: JsonText.trusted(text) });
  const { rows, refused } = await reduceBatch([json(1, '1e300'), json(2, '1e131071')], columns);
  expect([...refused]).toEqual([
    [1, 'score: the numbers have too many digits when they are written without exponents'],
  ]);
  expect(rows.map(({ places }) => places)).toEqual([[0]]);
});

describe('other work', () => {
  const MANY = MAX_FIELDS - 1;
  const many = profileColumns({
    kind: 'object',
    properties: Array.from({ length: MANY }, (_, index) => ({
      ...(FIRST_PROFILE_SCHEMA.schema.properties[0] as Property),
      name: `p${String(index)}`,
    })),
  });

  /** How many values of updates were read between turns of others, at most, and how often they had one. */
  const turnsOf = async (updates: readonly IdentityUpdate[]) => {
    const [read, seen] = [{ now: 0, most: 0, all: 0 }, { turns: 0 }];
    const turn = (): Promise<void> => {
      seen.turns += 1;
      read.most = Math.max(read.most, read.now);
      read.now = 0;
      return Promise.resolve();
    };
    const counted = updates.map((update) => ({
      ...update,
      values: new Proxy(update.values, {
        get: (values, name) => {
          read.now += 1;
          read.all += 1;
          return values[name as string];
        },
      }),
    }));
    await reduceBatch(counted, many, new Turns(turn));
    return { most: Math.max(read.most, read.now), all: read.all, turns: seen.turns };
  };

  const values = Object.fromEntries(many.map(({ name }) => [name, 'x']));
  const hundred = Array.from({ length: 100 }, (_, index) => index);

  it.each([
    ['records', hundred.map((each) => imported(`u${String(each)}`, 1, values))],
    ['events', hundred.map((each) => said(`u${String(each)}`, 1, values))],
    ['events of one identity', hundred.map((each) => said('u', each, values))],
    [
      'records with NUL',
      hundred.map((each) => imported(`u${String(each)}`, 1, { ...values, p1: '\u0000' })),
    ],
  ])('has its turn between a few %s of many properties', async (_, updates) => {
    const { most, all, turns } = await turnsOf(updates);
    expect(all).toBeGreaterThanOrEqual(MANY * updates.length);
    // A row is made at once.
    expect(most).toBeLessThanOrEqual(MAX_FIELDS + MANY);
    expect(turns).toBeGreaterThanOrEqual(Math.floor(all / (MAX_FIELDS + MANY)));
  });

  it('does not wait for a batch of a few properties', async () => {
    expect((await turnsOf([imported('u', 1, values)])).turns).toBe(0);
  });
});
