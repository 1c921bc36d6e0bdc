import type { Plain } from '@penstock/settings';
import { type JsonSchema, ref } from './json-schema';

/** Components of the document by their names. */
export type Schemas = Readonly<Record<string, JsonSchema>>;

const exampleIn = (schema: JsonSchema | undefined): Plain | undefined => {
  const examples = schema?.['examples'];
  return Array.isArray(examples) ? (examples as readonly Plain[])[0] : undefined;
};

/** A body of JSON: its schema among the components, and the example of that. */
export const contentOf = (name: string, schemas: Schemas): JsonSchema => {
  const example = exampleIn(schemas[name]);
  return { 'application/json': { schema: ref(name), ...(example !== undefined && { example }) } };
};
