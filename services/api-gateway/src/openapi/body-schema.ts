import type { Body } from '../validation/json-body';
import { COMPONENTS } from './components/components';
import { described, type JsonSchema } from './schema/json-schema';
import { schemaOf } from './schema/members';

const UNCHANGED = 'Cannot be changed: it may be sent back as it is.';
const IGNORED = 'Ignored: it may be sent back.';

/** The members as the answer has them, each with what becomes of it. */
const sentBack = (
  names: readonly string[],
  answered: Readonly<Record<string, JsonSchema>>,
  fate: string,
): Readonly<Record<string, JsonSchema>> =>
  Object.fromEntries(
    names.map((name) => {
      const { description, ...schema } = answered[name] ?? {};
      const said = description === undefined ? [fate] : [description as string, fate];
      return [name, described(schema, said.join(' '))];
    }),
  );

/**
 * The schema of a body. That of a body that may begin with the answer to a GET has the members of the answer too, so that
 * whoever checks by the schema can send it back; they are not called `readOnly`, since requests with such are refused by
 * some.
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
