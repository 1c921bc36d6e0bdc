import { isDeepStrictEqual } from 'node:util';
import { EVENT_SCHEMA } from '@penstock/contracts';
import {
  canonicalDecimal,
  codePointLength,
  type Json,
  isJsonObject,
  JsonNumber,
  JsonText,
  newRecord,
  parseJson,
  parseSchema,
  type RecordValue,
} from '@penstock/schema';
import { compileMapping } from '@penstock/transformations';
import type { Work } from './compare';

const property = (name: string, type: object) => ({ name, type, nullable: true });

const OUTPUT = parseSchema(
  parseJson(
    JSON.stringify({
      kind: 'object',
      properties: [
        property('email', { kind: 'string' }),
        property('name', { kind: 'string' }),
        property('total', { kind: 'decimal', precision: 10, scale: 2 }),
        property('items', { kind: 'int', bitSize: 32 }),
        property('at', { kind: 'datetime' }),
        property('day', { kind: 'date' }),
        property('isPro', { kind: 'boolean' }),
        property('page', { kind: 'string', maxLength: 60 }),
        property('ids', { kind: 'array', elementType: { kind: 'json' } }),
        property('what', { kind: 'string' }),
      ],
    }),
  ),
);

const EXPRESSIONS = {
  email: 'lower(trim(traits.email))',
  name: 'traits.first " " traits.last',
  total: 'properties.total',
  items: 'properties.items',
  at: 'timestamp',
  day: 'date_format(timestamp, "yyyy-MM-dd")',
  isPro: 'eq(traits.plan, "pro")',
  page: 'coalesce(context.page.title, context.page.path, "none")',
  ids: 'array(userId, anonymousId)',
  what: 'if(eq(type, "track"), event, type)',
};

const MAPPING = compileMapping(new Map(Object.entries(EXPRESSIONS)), EVENT_SCHEMA, OUTPUT);

const lookUp = (json: RecordValue[string], name: string): Json | undefined => {
  if (json === undefined || json === null) return undefined;
  const object = json instanceof JsonText ? json.value : undefined;
  if (!isJsonObject(object)) throw new TypeError(`"${name}" is looked up in no object`);
  return object.get(name);
};

const textOf = (json: Json | undefined): string | null => {
  if (json === undefined || json === null) return null;
  if (typeof json === 'string') return json;
  if (json instanceof JsonNumber) return json.text;
  if (typeof json === 'boolean') return String(json);
  throw new TypeError('no text');
};

const LIMITS = { precision: 10, scale: 2 };

const decimalOf = (json: Json | undefined): string | null => {
  if (json === undefined || json === null) return null;
  const decimal = json instanceof JsonNumber ? canonicalDecimal(json.text, LIMITS) : undefined;
  if (decimal === undefined) throw new TypeError('no decimal');
  return decimal;
};

const intOf = (json: Json | undefined): number | null => {
  if (json === undefined || json === null) return null;
  const integer = json instanceof JsonNumber ? Number(json.text) : NaN;
  if (!Number.isInteger(integer) || integer < -2_147_483_648 || integer > 2_147_483_647)
    throw new TypeError('no int');
  return integer;
};

const jsonOf = (text: RecordValue[string]): JsonText =>
  JsonText.trusted(text === undefined || text === null ? 'null' : JSON.stringify(text));

const orNull = (value: RecordValue[string]) => value ?? null;

/** The same expressions by hand, with the same conversions and limits. */
const handWritten = (record: RecordValue): RecordValue => {
  const { traits, properties, timestamp, type } = record as Record<string, RecordValue[string]>;
  const output = newRecord();
  output['email'] = textOf(lookUp(traits, 'email'))?.trim().toLowerCase() ?? null;
  const [first, last] = [textOf(lookUp(traits, 'first')), textOf(lookUp(traits, 'last'))];
  output['name'] = `${first ?? ''} ${last ?? ''}`;
  output['total'] = decimalOf(lookUp(properties, 'total'));
  output['items'] = intOf(lookUp(properties, 'items'));
  output['at'] = orNull(timestamp);
  output['day'] = typeof timestamp === 'string' ? timestamp.slice(0, 10) : null;
  const plan = lookUp(traits, 'plan');
  output['isPro'] = plan === undefined || plan === null ? null : plan === 'pro';
  const page = (record['context'] as RecordValue | undefined)?.['page'] as RecordValue | undefined;
  const title = (page?.['title'] ?? page?.['path'] ?? 'none') as string;
  if (codePointLength(title) > 60) throw new TypeError('too long');
  output['page'] = title;
  output['ids'] = [jsonOf(record['userId']), jsonOf(record['anonymousId'])];
  output['what'] = orNull(type === 'track' ? record['event'] : type);
  return output;
};

const over = (
  records: readonly RecordValue[],
  map: (record: RecordValue) => RecordValue,
): Work => ({
  size: records.length,
  run: () => {
    let last: RecordValue | undefined;
    for (const record of records) last = map(record);
    return last;
  },
});

/** A mapping of ten expressions, and the same by hand. @throws Error when they differ. */
export const mappingWorks = (records: readonly RecordValue[]): [ours: Work, baseline: Work] => {
  const ours = (record: RecordValue) => MAPPING.apply(record, 'Create');
  for (const record of records)
    if (!isDeepStrictEqual(ours(record), handWritten(record)))
      throw new Error('the mappings differ');
  return [over(records, ours), over(records, handWritten)];
};
