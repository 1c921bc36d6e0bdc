import type { Plain } from '@penstock/settings';
import { arrayOf, described, type JsonSchema, object, ref, TEXT } from '../schema/json-schema';

/** What ids and times look like in examples. */
export const EXAMPLE_ID = '01K8ZJ3YQ4T6M2XW';
export const EXAMPLE_TIME = '2026-03-01T09:30:00.000Z';

export const CONNECTOR_TYPES = [
  'Application',
  'Database',
  'FileStorage',
  'MessageBroker',
  'SDK',
  'Webhook',
];

export const CURSOR = described(TEXT, 'Where the list goes on; empty at its end.');

export const withExample = (schema: JsonSchema, example: Plain): JsonSchema => ({
  ...schema,
  examples: [example],
});

/** All items of a kind under one name; the example of an item is the list's too. */
export const list = (name: string, component: string, { examples }: JsonSchema): JsonSchema =>
  withExample(object({ [name]: arrayOf(ref(component)) }), { [name]: examples ?? [] });

/** {@link list}, a part of it at a time. */
export const page = (name: string, component: string, { examples }: JsonSchema): JsonSchema =>
  withExample(object({ [name]: arrayOf(ref(component)), cursor: CURSOR }), {
    [name]: examples ?? [],
    cursor: '',
  });
