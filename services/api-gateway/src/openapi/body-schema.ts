import type { Body } from '../validation/json-body';
import { COMPONENTS } from './components/components';
import { described, type JsonSchema } from './schema/json-schema';
import { schemaOf } from './schema/members';

const UNCHANGED = 'Cannot be changed: it may be sent back as it is.';
const IGNORED = 'Ignored: it may be sent back.';

/** Copies members of the answer, with a note on how they are handled when they are sent back. */
const sentBack = (
  names: readonly string[],
  answered: Readonly<Record<string, JsonSchema>>,
  fate: string,
): Readonly<Record<string, JsonSchema>> =>
  Object.fromEntries(
    names.map((name) => {
      const { description, ...schema } = answered[name] ?? {};
      const texts = description === undefined ? [fate] : [description as string, fate];
      return [name, described(schema, texts.join(' '))];
    }),
  );

/**
 * Builds the schema of a body. A PUT that accepts the answer to a GET lists the members of the answer too, so that a
 * client which validates by the schema can send them back. They are not marked `readOnly`, because some validators
 * refuse requests with such members.
 */
export const bodySchema = ({ shape, sentBack: also }: Body): JsonSchema => {
  const schema = schemaOf(shape);
  if (also === undefined) return schema;
  const { component, unchanged, ignored } = also;
  const answered = COMPONENTS[component]?.['properties'] as Record<string, JsonSchema>;
  return {
    ...schema,
    properties: {
      ...(schema['properties'] as Record<string, JsonSchema>),
      ...sentBack(unchanged, answered, UNCHANGED),
      ...sentBack(ignored, answered, IGNORED),
    },
  };
};
