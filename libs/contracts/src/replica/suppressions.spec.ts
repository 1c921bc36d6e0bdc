import { ConfigurationReplica } from './configuration-replica';
import type { SuppressionId, WorkspaceId } from '../ids';
import { anonymousSuppressionId, suppressionId, Suppressions } from './suppressions';

const [ONE, OTHER] = ['w1' as WorkspaceId, 'w2' as WorkspaceId];
const keyedHash = (text: string): string => `hash of ${text}`;

const standing = (suppressed: boolean, position = 1) => {
  const replica = new ConfigurationReplica();
  const hashed: string[] = [];
  const suppressions = new Suppressions(replica, (text) => {
    hashed.push(text);
    return keyedHash(text);
  });
  const id = suppressionId(keyedHash, ONE, 'ada');
  const suppress = (is: boolean, at: number): void => {
    const state = { kind: 'suppression', id, workspace: ONE, version: at, suppressed: is } as const;
    replica.apply({ position: at, state });
  };
  if (suppressed) suppress(true, position);
  return { replica, suppressions, suppress, hashed };
};

it('include a user of the workspace, by any of the ids', () => {
  const { suppressions } = standing(true);
  expect(suppressions.includes(ONE, 'ada')).toBe(true);
  expect(suppressions.includes(ONE, undefined, 'ada')).toBe(true);
  expect(suppressions.includes(ONE, 'bob', undefined)).toBe(false);
  expect(suppressions.includes(ONE)).toBe(false);
  expect(suppressions.includes(OTHER, 'ada')).toBe(false);
});

it('include an anonymous visitor of a source, who is no user and does not count as one', () => {
  const { replica, suppressions } = standing(true);
  const id = anonymousSuppressionId(keyedHash, ONE, 's1', 'ada');
  replica.apply({
    position: 2,
    state: { kind: 'suppression', id, workspace: ONE, version: 1, suppressed: true },
  });
  expect(suppressions.includesVisitor(ONE, 's1', 'ada')).toBe(true);
  expect(suppressions.includesVisitor(ONE, 's2', 'ada')).toBe(false);
  expect(suppressions.includesVisitor(ONE, 's1', 'bob')).toBe(false);
  expect(suppressions.includesVisitor(OTHER, 's1', 'ada')).toBe(false);
  expect(suppressions.includes(ONE, 'bob')).toBe(false);
  expect(replica.suppressedUsersOf(ONE)).toBe(1);
});

it('include nobody any more once that has ended', () => {
  const { replica, suppressions, suppress } = standing(true, 1);
  suppress(false, 2);
  expect(suppressions.includes(ONE, 'ada')).toBe(false);
  expect(replica.suppressedFrom).toBe(2);
  suppress(true, 3);
  expect(suppressions.includes(ONE, 'ada')).toBe(true);
});

it('hash nothing where nobody is suppressed', () => {
  const { replica, suppressions, hashed } = standing(false);
  expect(suppressions.includes(ONE, 'ada')).toBe(false);
  expect(hashed).toEqual([]);
  expect(replica.suppressedFrom).toBe(0);
});

it('differ between workspaces', () => {
  const ids: SuppressionId[] = [ONE, OTHER].map((workspace) =>
    suppressionId(keyedHash, workspace, 'ada'),
  );
  expect(new Set(ids).size).toBe(2);
});
