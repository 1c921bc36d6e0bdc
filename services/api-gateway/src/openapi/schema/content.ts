import type { Plain } from '@penstock/settings';
import { type JsonSchema, ref } from './json-schema';

/** Schemas of the document by name. */
export type Schemas = Readonly<Record<string, JsonSchema>>;

const exampleIn = (schema: JsonSchema | undefined): Plain | undefined => {
  const examples = schema?.['examples'];
  return Array.isArray(examples) ? (examples as readonly Plain[])[0] : undefined;
};

/** Describes a body by a named schema, with the example of that schema. */
export const contentOf = (
  name: string,
  schemas: Schemas,
  mediaType = 'application/json',
): JsonSchema => {
  const example = exampleIn(schemas[name]);
  return { [mediaType]: { schema: ref(name), ...(example !== undefined && { example }) } };
};
