import type { WantedProperties } from '@penstock/contracts';
import { Invalid, nearestName, type Schema } from '@penstock/schema';

/** Names for which the one that was probably meant is searched for: a search looks at every name that there is. */
const MAX_HINTS = 10;

/**
 * The part of a schema that a reader wants, in the order of the schema.
 *
 * @throws Invalid naming each property that there is not.
 */
export const partOf = (schema: Schema, wanted: WantedProperties): Schema => {
  if (wanted === null) return schema;
  const names = new Set(schema.properties.map(({ name }) => name));
  const issues = wanted
    .filter((name) => !names.has(name))
    .map((name, index) => {
      const near = index < MAX_HINTS ? nearestName(name, names) : undefined;
      const hint = near === undefined ? '' : `: did you mean "${near}"?`;
      return { path: '', message: `there is no property "${name}"${hint}` };
    });
  if (issues.length > 0) throw new Invalid(issues);
  const all = new Set(wanted);
  return { ...schema, properties: schema.properties.filter(({ name }) => all.has(name)) };
};
