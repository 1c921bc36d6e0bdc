import type { WantedProperties } from '@penstock/contracts';
import { Invalid, nearestName, type Schema } from '@penstock/schema';

/**
 * The part of a schema that a reader wants, in the order of the schema.
 *
 * @throws Invalid naming each property that there is not.
 */
export const partOf = (schema: Schema, wanted: WantedProperties): Schema => {
  if (wanted === null) return schema;
  const names = schema.properties.map(({ name }) => name);
  const issues = wanted
    .filter((name) => !names.includes(name))
    .map((name) => {
      const near = nearestName(name, names);
      const hint = near === undefined ? '' : `: did you mean "${near}"?`;
      return { path: '', message: `there is no property "${name}"${hint}` };
    });
  if (issues.length > 0) throw new Invalid(issues);
  return { ...schema, properties: schema.properties.filter(({ name }) => wanted.includes(name)) };
};
