import type { Plain } from '@penstock/settings';
import { arrayOf, described, type JsonSchema, object, ref, TEXT } from '../schema/json-schema';

/** Ids and times in examples. */
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

export const CURSOR = described(TEXT, 'The cursor of the next page; empty on the last page.');

export const withExample = (schema: JsonSchema, example: Plain): JsonSchema => ({
  ...schema,
  examples: [example],
});

/** Schema of a complete list of a component's items; its example contains the item's. */
export const list = (
  name: string,
  component: string,
  { examples }: JsonSchema,
  optional: Readonly<Record<string, JsonSchema>> = {},
): JsonSchema =>
  withExample(object({ [name]: arrayOf(ref(component)) }, optional), { [name]: examples ?? [] });

/** Schema of one page of a {@link list}. */
export const page = (name: string, component: string, { examples }: JsonSchema): JsonSchema =>
  withExample(object({ [name]: arrayOf(ref(component)), cursor: CURSOR }), {
    [name]: examples ?? [],
    cursor: '',
  });
