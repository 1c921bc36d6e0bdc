import { checkStatement } from './check-statement';

it.each([
  'SELECT * FROM profiles',
  "SELECT 'the system' AS identifier",
  'SELECT "SYSTEM" FROM t',
  'SELECT next_value FROM t',
])('takes %s', (text) => {
  expect(() => {
    checkStatement(text);
  }).not.toThrow();
});

it.each([
  ['SELECT SYSTEM$CANCEL_ALL_QUERIES(1)', 'SYSTEM$CANCEL_ALL_QUERIES is not taken'],
  ['SELECT system$abort_transaction(1)', 'system$abort_transaction is not taken'],
  ['SELECT "SYSTEM$ABORT_SESSION"(1)', 'SYSTEM$ABORT_SESSION is not taken'],
  ["SELECT IDENTIFIER ('SYSTEM\\u0024WAIT')(1)", 'IDENTIFIER is not taken'],
  ['SELECT s.nextval', 'nextval is not taken'],
  ['SELECT 1\0', 'it has a character NUL'],
])('refuses %j', (text, message) => {
  expect(() => {
    checkStatement(text);
  }).toThrow(expect.objectContaining({ kind: 'invalid', message }) as Error);
});
