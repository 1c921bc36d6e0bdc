import type { ExportPipelineState } from '@penstock/contracts';
import { newRecord, parseJson, parseSchema, printType, type RecordValue } from '@penstock/schema';
import { compileUserExport } from './compiled-user-export';

const text = { kind: 'string' };
const UUID = '0190f3e2-7c1b-4a5d-8e6f-000000000001';

const schemaOf = (...properties: readonly object[]) =>
  parseSchema(parseJson(JSON.stringify({ kind: 'object', properties })));

const record = (members: object): RecordValue => Object.assign(newRecord(), members);

/** An export that is matched by `ids.key` of users. */
const compiled = (from: object, to: object, flags: object = {}) => {
  const input = schemaOf(
    { name: 'value', type: from, readOptional: true },
    { name: 'name', type: text, readOptional: true },
  );
  const ids = {
    kind: 'object',
    properties: [
      { name: 'key', type: to, ...flags },
      { name: 'other', type: text, nullable: true },
    ],
  };
  const outSchema = schemaOf(
    { name: 'ids', type: ids },
    { name: 'name', type: text, createRequired: true },
  );
  const state = {
    ...{ workspace: 'w', id: 'p', version: 1, outSchema: printType(outSchema) },
    transformation: { mapping: { name: 'name', 'ids.other': 'name' }, function: null },
  } as unknown as ExportPipelineState;
  const destination = {
    kind: 'application',
    mode: 'CreateOrUpdate',
    updateOnDuplicates: false,
    matching: { in: 'value', out: 'ids.key' },
  } as const;
  const functions = { run: () => Promise.reject(new Error('there is no function')) };
  return compileUserExport(state, destination, input, functions);
};

const INT = { kind: 'int', bitSize: 32 };
const LONG = { kind: 'int', bitSize: 64 };
const bad = { code: 'InvalidMatchingValue' };

it.each<[string, object, object, unknown, object | null]>([
  ['int to int', INT, LONG, 7, { value: 7n, text: '7' }],
  ['int to string', INT, text, -7, { value: '-7', text: '-7' }],
  ['string to string', text, text, 'Ä', { value: 'Ä', text: 'Ä' }],
  ['string to int', text, INT, '07', { value: 7, text: '7' }],
  ['string to uuid', text, { kind: 'uuid' }, UUID.toUpperCase(), { value: UUID, text: UUID }],
  ['uuid to uuid', { kind: 'uuid' }, { kind: 'uuid' }, UUID, { value: UUID, text: UUID }],
  ['uuid to string', { kind: 'uuid' }, text, UUID, { value: UUID, text: UUID }],
  ['what is no number', text, INT, '7a', bad],
  ['what is no uuid', text, { kind: 'uuid' }, '7', bad],
  ['what is out of range', INT, { ...INT, bitSize: 8 }, 128, bad],
  ['what is in range', INT, { ...INT, bitSize: 8 }, 127, { value: 127, text: '127' }],
  ['what is too long', text, { ...text, maxLength: 2 }, 'abc', bad],
  ['what is not too long', text, { ...text, maxLength: 2 }, 'ab', { value: 'ab', text: 'ab' }],
  ['nothing', text, text, undefined, null],
])('%s', (_, from, to, value, expected) => {
  const found = compiled(from, to).matchingOf(record(value === undefined ? {} : { value }));
  if (expected === null) expect(found).toBeNull();
  else expect(found).toMatchObject(expected);
  if (expected === bad) expect(JSON.stringify(found)).not.toContain(String(value));
});

it('the value is given with a user that is created, and with others only where it is required', () => {
  const matching = { value: 'k', text: 'k' };
  const made = record({ name: 'n', ids: record({ other: 'o' }) });
  const whole = { name: 'n', ids: { other: 'o', key: 'k' } };
  const optional = compiled(text, text);
  expect(optional.withMatching(made, matching, true)).toEqual(whole);
  expect(optional.withMatching(made, matching, false)).toBe(made);
  const required = compiled(text, text, { updateRequired: true });
  expect(required.withMatching(made, matching, false)).toEqual(whole);
  expect(optional.withMatching(record({}), matching, true)).toEqual({ ids: { key: 'k' } });
});

it('what is required is required of a user that is created, and the value is never missing', async () => {
  const { create, update } = compiled(text, text, { createRequired: true, updateRequired: true });
  const { signal } = new AbortController();
  const given = [record({ value: 'k', name: 'n' }), record({ value: 'k' })];
  expect(await create.apply(given, signal)).toMatchObject([
    { values: { name: 'n', ids: { other: 'n' } } },
    { step: 'OutputValidation' },
  ]);
  expect(await update.apply(given, signal)).toMatchObject([
    { values: { name: 'n' } },
    { values: { ids: { other: null } } },
  ]);
});
