import { parseJson, parseSchema, type Schema } from '@penstock/schema';

const schema = (...properties: readonly object[]): Schema =>
  parseSchema(parseJson(JSON.stringify({ kind: 'object', properties })));

const TEXT = { kind: 'string' };
const text = (maxLength: number): object => ({ kind: 'string', maxLength });

const orNull = (name: string, type: object = TEXT): object => ({ name, type, nullable: true });

const object = (...properties: readonly object[]): object => ({ kind: 'object', properties });

const ADDRESS = object(
  ...['city', 'country', 'line1', 'line2', 'postal_code', 'state'].map((name) => orNull(name)),
);

const SHIPPING = object(orNull('address', ADDRESS), orNull('name'), orNull('phone'));

const METADATA = { name: 'metadata', type: { kind: 'map', elementType: TEXT } };

const LOCALES = orNull('preferred_locales', { kind: 'array', elementType: TEXT });

const ADDRESSES = [orNull('address', ADDRESS), orNull('shipping', SHIPPING), METADATA, LOCALES];

/** A customer as it is read. */
export const STRIPE_CUSTOMER = schema(
  { name: 'id', type: TEXT, description: 'Identifies the customer.' },
  ...['email', 'name', 'phone', 'description'].map((name) => orNull(name)),
  ...ADDRESSES,
  orNull('tax_exempt'),
  { name: 'created', type: { kind: 'datetime' } },
  { name: 'balance', type: { kind: 'int', bitSize: 64 }, description: 'In the smallest unit.' },
  orNull('currency'),
  orNull('delinquent', { kind: 'boolean' }),
  orNull('invoice_prefix'),
  { name: 'livemode', type: { kind: 'boolean' } },
);

/** What can be written of a customer. */
export const STRIPE_CUSTOMER_TO_WRITE = schema(
  orNull('email', text(512)),
  orNull('name', text(256)),
  orNull('phone', text(20)),
  orNull('description', text(5_000)),
  ...ADDRESSES,
  orNull('tax_exempt', { kind: 'string', values: ['none', 'exempt', 'reverse'] }),
);
