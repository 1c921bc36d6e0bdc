import type { ConnectionId } from '@penstock/contracts';
import { DatabaseError } from 'pg';
import { LeftOut } from './left-out';

const RECORD = { connection: 'c1' as ConnectionId, anonymous: false, recordId: 'u1' };

const faultWith = (code: string): DatabaseError =>
  Object.assign(new DatabaseError('refused', 0, 'error'), { code });

/** @returns what leaves out, and how many texts it has hashed */
const leftOut = () => {
  let hashed = 0;
  const keyedHash = (): string => `hash${String((hashed += 1))}`;
  return { out: new LeftOut('w', keyedHash), hashed: () => hashed };
};

it('hashes nothing, and leaves nothing out, before it meets somebody who was erased', () => {
  const { out, hashed } = leftOut();
  expect(out.field(() => [RECORD])).toBe('\\N\t');
  expect(out.identityStatements('stage')).toHaveLength(1);
  expect(out.eventStatements('stage')).toHaveLength(1);
  expect(hashed()).toBe(0);
});

it('hashes from then on, and leaves out whom it finds', () => {
  const { out, hashed } = leftOut();
  expect(out.isMissing(faultWith('PS007'))).toBe(true);
  expect(out.field(() => [RECORD, { ...RECORD, anonymous: true }])).toBe('{hash1,hash2}\t');
  expect(hashed()).toBe(2);
  const [check, ...others] = out.eventStatements('stage');
  expect(check).toBe(leftOut().out.eventStatements('stage')[0]);
  expect(others.filter((each) => each.startsWith('DELETE FROM stage'))).toHaveLength(1);
  const ofIdentities = out.identityStatements('stage').slice(1);
  expect(ofIdentities.filter((each) => /^(DELETE FROM|UPDATE) stage/.test(each))).toHaveLength(2);
});

it.each([new Error('PS007'), faultWith('23505'), undefined])('is not told it by %s', (error) => {
  const { out } = leftOut();
  expect(out.isMissing(error)).toBe(false);
  expect(out.field(() => [RECORD])).toBe('\\N\t');
});
