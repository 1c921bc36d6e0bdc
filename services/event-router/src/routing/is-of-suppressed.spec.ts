import {
  ConfigurationReplica,
  suppressionId,
  Suppressions,
  type WorkspaceId,
} from '@penstock/contracts';
import { newRecord, type RecordValue } from '@penstock/schema';
import { isOfSuppressed } from './is-of-suppressed';

const [mine, other] = ['workspace000001', 'workspace000002'] as [WorkspaceId, WorkspaceId];
const keyedHash = (text: string): string => `hash of ${text}`;

const replica = new ConfigurationReplica();
const suppress = (position: number, userId: string, suppressed: boolean): void => {
  const id = suppressionId(keyedHash, mine, userId);
  replica.apply({
    position,
    state: { kind: 'suppression', id, workspace: mine, version: position, suppressed },
  });
};
const suppressions = new Suppressions(replica, keyedHash);

const event = (members: Record<string, string>): RecordValue =>
  Object.assign(newRecord(), { type: 'track' }, members);

it('checks userId and previousId against the current suppressions of the workspace', () => {
  suppress(1, 'u', true);
  expect(isOfSuppressed(suppressions, mine, event({ userId: 'u' }))).toBe(true);
  expect(isOfSuppressed(suppressions, mine, event({ userId: 'v', previousId: 'u' }))).toBe(true);
  expect(isOfSuppressed(suppressions, mine, event({ userId: 'v' }))).toBe(false);
  expect(isOfSuppressed(suppressions, mine, event({ anonymousId: 'u' }))).toBe(false);
  expect(isOfSuppressed(suppressions, other, event({ userId: 'u' }))).toBe(false);
  suppress(2, 'u', false);
  expect(isOfSuppressed(suppressions, mine, event({ userId: 'u' }))).toBe(false);
});
