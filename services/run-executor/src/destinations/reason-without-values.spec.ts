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
  ["secret 'x' of `other`", 'secret … of …'],
])('%s', (reason, expected) => {
  const told = reasonWithoutValues(reason, ROW, SCHEMA, ['people']);
  expect(told.replaceAll('"…"', '…')).toBe(expected.replaceAll('"…"', '…'));
  expect(told).not.toMatch(/ann@|12345/);
});
