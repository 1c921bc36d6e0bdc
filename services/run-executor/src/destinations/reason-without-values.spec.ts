import { parseJson, parseSchema, type RecordValue } from '@penstock/schema';
import { reasonWithoutValues } from './reason-without-values';

const SCHEMA = parseSchema(
  parseJson(
    JSON.stringify({
      kind: 'object',
      properties: [
        { name: 'mail', type: { kind: 'string' } },
        { name: 'age', type: { kind: 'int', bitSize: 32 } },
      ],
    }),
  ),
);

const ROW = { mail: 'ann@example.com', age: 12345n } as unknown as RecordValue;

it.each([
  [
    'new row for relation "people" violates check constraint "people_check"',
    'new row for relation "people" violates check constraint "people_check"',
  ],
  [
    'invalid input syntax for type integer: "ann@example.com"',
    'invalid input syntax for type integer: "…"',
  ],
  ['value "12345" is out of range for type smallint', 'value … is out of range for type smallint'],
  [
    "Duplicate entry 'ann@example.com' for key 'people.mail'",
    "Duplicate entry … for key 'people.mail'",
  ],
  ["Data too long for column 'mail' at row 1", "Data too long for column 'mail' at row 1"],
  ['cannot parse ann@example.com as a number', 'cannot parse … as a number'],
  ["secret 'x' of `other`", 'secret …'],
  ['"ann" is not a valid integer: 12345', '… is not a valid integer …'],
  ['"ann@example.com"', '…'],
  ['not for `other` or "x"', 'not for … or …'],
  [
    "Incorrect integer value: 'ann' for column `crm`.`people`.`age` at row 1",
    'Incorrect integer value: … for column `crm`.`people`.`age` at row 1',
  ],
])('%s', (reason, expected) => {
  const told = reasonWithoutValues(reason, [ROW], SCHEMA, ['people']);
  expect(told.replace(/["']…["']/g, '…')).toBe(expected.replaceAll('"…"', '…'));
  expect(told).not.toMatch(/ann@|12345/);
});

it.each([
  // Quotes within a value open and close those of the server.
  ["o'brien of kerry", "Duplicate entry 'o'brien of kerry' for key 'people.mail'"],
  ['a "quoted" secret', 'invalid input syntax for type integer: "a "quoted" secret"'],
  // A server tells the beginning of a long one.
  [
    `it's ${'very '.repeat(40)}secret`,
    `Duplicate entry 'it's ${'very '.repeat(12)}' for key 'mail'`,
  ],
  // Another way of writing it.
  ['tab\tand "quote"', 'cannot parse input: expected , before: tab\\tand \\"quote\\",'],
])('nothing of %j is told', (mail, reason) => {
  const row = { mail, age: 12345n } as unknown as RecordValue;
  const told = reasonWithoutValues(reason, [row], SCHEMA, ['people']);
  expect(told).toMatch(/^(Duplicate|invalid|cannot)/);
  expect(told).not.toMatch(/brien|kerry|quote|secret|very|long|tab/);
});

it('a reason that is told of several rows has the values of none of them', () => {
  const rows = ['ann@example.com', 'bob@example.com'].map((mail) => ({ mail, age: 1n }));
  const reason = 'cannot parse input before bob@example.com';
  expect(reasonWithoutValues(reason, rows, SCHEMA, [])).toBe('cannot parse input before …');
});
