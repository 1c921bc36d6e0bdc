import type { ConnectionId } from '@penstock/contracts';
import { parseJson, parseType } from '@penstock/schema';
import { MAX_IDENTIFIERS, type ResolutionRules } from '../platform/resolver';
import type { ValueColumn } from '../profiles/value-columns';
import { maskBelow } from './keys';
import { rulesBy } from './rules';

const column = (path: string, kind = '{"kind":"string"}'): ValueColumn => ({
  ...{ name: path.replaceAll('.', '_'), path: path.split('.') },
  type: parseType(parseJson(kind)),
});

const COLUMNS = [
  column('email'),
  column('ids.account', '{"kind":"int","bitSize":64}'),
  column('score', '{"kind":"float","bitSize":64}'),
];

const rules = (members: Partial<ResolutionRules>, columns = COLUMNS) =>
  rulesBy(
    columns,
    { identifiers: [], blockedValues: new Map(), primarySources: new Map(), ...members },
    ({ name }) => `text(${name})`,
  );

it('has the identifiers in the order of their priority, with their blocked values', () => {
  const { identifiers } = rules({
    identifiers: ['ids.account', 'email'],
    blockedValues: new Map([['ids.account', new Set(['007'])]]),
  });
  expect(identifiers).toMatchObject([
    { path: 'ids.account', text: 'text(ids_account)', blocked: new Set(['007', '7']) },
    { path: 'email', text: 'text(email)', blocked: new Set() },
  ]);
});

it.each([['score'], ['none'], ['ids']])('%s cannot be an identifier', (path) => {
  expect(() => rules({ identifiers: [path] })).toThrow(`${path} cannot be an identifier`);
});

it('has sixteen identifiers at most', () => {
  const paths = Array.from({ length: MAX_IDENTIFIERS + 1 }, (_, at) => `p${String(at)}`);
  const columns = paths.map((path) => column(path));
  expect(rules({ identifiers: paths.slice(1) }, columns).identifiers).toHaveLength(16);
  expect(() => rules({ identifiers: paths }, columns)).toThrow(RangeError);
});

it('has the primary source of each property that has one', () => {
  const { columns } = rules({ primarySources: new Map([['email', 'c1' as ConnectionId]]) });
  expect(columns.map((each) => each.primarySource)).toEqual(['c1', undefined, undefined]);
});

it('an identity has a bit for each identifier of higher priority that it has, and for no other', () => {
  expect(maskBelow(0, (place) => `v${String(place)}`)).toBe('0');
  expect(maskBelow(2, (place) => `v${String(place)}`)).toBe(
    '0 + CASE WHEN v0 IS NULL THEN 0 ELSE 1 END + CASE WHEN v1 IS NULL THEN 0 ELSE 2 END',
  );
});
