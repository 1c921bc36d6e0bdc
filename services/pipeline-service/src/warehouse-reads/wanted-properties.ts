import { Refusal, type WantedProperties } from '@penstock/contracts';
import { nearestName, type Schema } from '@penstock/schema';

/**
 * The part of a schema that a reader wants, in the order of the schema.
 *
 * @throws Refusal BadRequest naming each property that there is not.
 */
export const partOf = (schema: Schema, wanted: WantedProperties): Schema => {
  if (wanted === null) return schema;
  const names = schema.properties.map(({ name }) => name);
  const details = wanted
    .filter((name) => !names.includes(name))
    .map((name) => {
      const near = nearestName(name, names);
      const hint = near === undefined ? '' : `: did you mean "${near}"?`;
      return { path: '/properties', message: `there is no property "${name}"${hint}` };
    });
  if (details.length > 0) throw new Refusal('BadRequest', { details });
  return { ...schema, properties: schema.properties.filter(({ name }) => wanted.includes(name)) };
};
