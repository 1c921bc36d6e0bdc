import { newRecord, type RecordValue, type Type } from '@penstock/schema';
import fc from 'fast-check';
import type { IdentityUpdate } from '../platform/warehouse-writer';
import { type IdentityParts, IdentityState, previousIdsOf, stampOf } from './identity-state';

const TEXT: Type = { kind: 'string' };
const COLUMNS = ['a', 'b', 'c_d'].map((name) => ({ name, path: name.split('_'), type: TEXT }));

type Leaves = Readonly<Partial<Record<'a' | 'b' | 'd', string | null>>>;

const valuesOf = ({ d, ...others }: Leaves): RecordValue =>
  Object.assign(newRecord(), others, d !== undefined && { c: Object.assign(newRecord(), { d }) });

const LEAF = fc.constantFrom('x', 'y', null);
const LEAVES = fc.record({ a: LEAF, b: LEAF, d: LEAF }, { requiredKeys: [] });
const ID = fc.constantFrom('i', 'j', 'k');

/** Of few moments and tie-breakers, so that some are equal. */
const UPDATE: fc.Arbitrary<IdentityUpdate> = fc
  .record(
    {
      us: fc.bigInt({ min: -2n, max: 2n }),
      tieBreaker: fc.constantFrom('', 't', 'u'),
      leaves: LEAVES,
      isRecord: fc.boolean(),
      anonymousId: ID,
      previousId: ID,
    },
    { requiredKeys: ['us', 'tieBreaker', 'leaves', 'isRecord'] },
  )
  .map(({ us, leaves, isRecord, tieBreaker, ...ids }): IdentityUpdate => {
    const update = { recordId: 'r', updatedAtUs: us, tieBreaker, values: valuesOf(leaves) };
    return isRecord
      ? { kind: 'record', ...update }
      : { kind: 'event', ...update, anonymous: false, ...ids };
  });

/** With no two of one time and tie-breaker: of those the first one stays, so that their order counts. */
const UPDATES = fc.uniqueArray(UPDATE, { selector: stampOf, minLength: 1, maxLength: 8 });

const partsOf = ([first, ...others]: readonly IdentityUpdate[]): IdentityParts => {
  if (first === undefined) throw new RangeError('no update');
  const state = new IdentityState('r', false, COLUMNS, first);
  for (const each of others) state.add(each);
  return state.parts;
};

const compare = (one: IdentityUpdate, other: IdentityUpdate): number =>
  Number(one.updatedAtUs - other.updatedAtUs) || (one.tieBreaker < other.tieBreaker ? -1 : 1);

/** As the specification words it: updates are applied one after the other, in the order of their times. */
const applied = (updates: readonly IdentityUpdate[]) => {
  const values = new Map<string, unknown>();
  const anonymousIds = new Set<string>();
  for (const update of [...updates].sort(compare)) {
    if (update.kind === 'record') values.clear();
    else if (update.anonymousId !== undefined) anonymousIds.add(update.anonymousId);
    const { a, b, c } = update.values as Record<string, unknown>;
    const leaves = { a, b, c_d: (c as Record<string, unknown> | undefined)?.['d'] };
    for (const [name, value] of Object.entries(leaves))
      if (value === null) values.delete(name);
      else if (value !== undefined) values.set(name, value);
  }
  return {
    values: COLUMNS.map(({ name }) => values.get(name)),
    anonymousIds: [...anonymousIds],
  };
};

const SEED = { seed: 20_260_601, numRuns: 500 };

it('has the values and the anonymous ids of its updates in the order of their times, whichever comes first', () => {
  fc.assert(
    fc.property(UPDATES, (updates) => {
      const { values, anonymousIds } = partsOf(updates);
      expect({ values, anonymousIds }).toEqual(applied(updates));
    }),
    SEED,
  );
});

it('is the same for any order of its updates', () => {
  fc.assert(
    fc.property(UPDATES, fc.nat(), (updates, at) => {
      const turned = [
        ...updates.slice(at % updates.length),
        ...updates.slice(0, at % updates.length),
      ];
      expect(partsOf(turned.reverse())).toEqual(partsOf(updates));
    }),
    SEED,
  );
});

const update = (us: bigint, members: Partial<IdentityUpdate> = {}): IdentityUpdate => ({
  ...{ kind: 'event', recordId: 'r', updatedAtUs: us, tieBreaker: '', anonymous: false },
  ...{ values: newRecord(), ...members },
});

it('has the moment of its latest update, and of equal ones the values of the first', () => {
  const [early, first, second] = [
    update(-1n, { values: valuesOf({ a: 'early' }) }),
    update(1_000_001n, { values: valuesOf({ a: 'first' }) }),
    update(1_000_001n, { values: valuesOf({ a: 'second', b: 'second' }) }),
  ];
  expect(partsOf([first, early, second])).toMatchObject({
    moment: '1970-01-01T00:00:01.000001Z',
    values: ['first', 'second', undefined],
    others: undefined,
  });
});

it('has the times of the columns that were set after its latest record, and of no other', () => {
  const parts = partsOf([
    update(3n, { values: valuesOf({ b: 'later' }) }),
    update(1n, { values: valuesOf({ a: 'earlier' }) }),
    update(2n, { kind: 'record', values: valuesOf({ a: 'x', b: 'x' }) }),
  ]);
  expect(parts).toMatchObject({
    values: ['x', 'later', undefined],
    others: '1970-01-01T00:00:00.000002Z ',
  });
  expect([...parts.times]).toEqual([['b', '1970-01-01T00:00:00.000003Z ']]);
});

it('has its previous ids once each, in the order of their bytes, as those of the row', () => {
  const updates = ['b', '\u{1f600}', 'a', '\uff5e', 'b'].map((previousId, at) =>
    update(BigInt(at), { previousId }),
  );
  const previousIds = ['a', 'b', '\uff5e', '\u{1f600}'];
  expect(partsOf(updates).previousIds).toEqual(previousIds);
  expect(previousIdsOf(updates)).toEqual(previousIds);
});
