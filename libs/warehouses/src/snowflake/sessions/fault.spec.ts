import { DatabaseFault } from '@penstock/databases';
import { faultOf } from './fault';

it.each([
  ['Refused', 'unusable'],
  ['Unreachable', 'unreachable'],
] as const)('%s is %s, in the same words', (kind, of) => {
  const words = 'the driver of Snowflake is not installed: npm install';
  expect(faultOf(new DatabaseFault(kind, words))).toMatchObject({ kind: of, message: words });
});

it('a bug is none', () => {
  const bug = new TypeError('a bug');
  expect(() => faultOf(bug)).toThrow(bug);
});
