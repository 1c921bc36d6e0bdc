import { EXPORT_MODES } from '@penstock/contracts';
import { decideMatch, MAX_DUPLICATES } from './decide-match';

const decided = (users: number, mayBeCreated = false, updateOnDuplicates = false) =>
  EXPORT_MODES.map((mode) => decideMatch(users, mayBeCreated, { mode, updateOnDuplicates }));

it('the mode decides whether profiles with a user are sent, and those without', () => {
  expect(decided(0)).toEqual(['create', 'left out', 'create']);
  expect(decided(1)).toEqual(['left out', 'update', 'update']);
});

it('several users are changed where that is wanted, up to a limit', () => {
  expect(decided(2)).toEqual(['ambiguous', 'ambiguous', 'ambiguous']);
  expect(decided(2, false, true)).toEqual(['left out', 'update', 'update']);
  expect(decided(MAX_DUPLICATES, false, true)[2]).toBe('update');
  expect(decided(MAX_DUPLICATES + 1, false, true)[2]).toBe('ambiguous');
});

it('a user that this run may have created is its own, and is created where there is none', () => {
  expect(decided(1, true)).toEqual(['created before', 'created before', 'created before']);
  expect(decided(2, true)[2]).toBe('created before');
  expect(decided(0, true)).toEqual(['create', 'left out', 'create']);
});
