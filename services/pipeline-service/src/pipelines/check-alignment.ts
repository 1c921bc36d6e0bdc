import { Refusal } from '@penstock/contracts';
import { align, type Issue, resolvePath, type Schema } from '@penstock/schema';

/** Required properties of the event type that no path covers; looks only into objects of which a path covers a part. */
const leftOut = ({ properties }: Schema, paths: readonly string[], prefix = ''): string[] =>
  properties.flatMap(({ name, type, createRequired }) => {
    const path = `${prefix}${name}`;
    if (paths.includes(path)) return [];
    const isPartly = paths.some((given) => given.startsWith(`${path}.`));
    if (isPartly && type.kind === 'object') return leftOut(type, paths, `${path}.`);
    return createRequired ? [path] : [];
  });

/**
 * Required properties that the output schema has but the function never returns. Those that the schema lacks are found
 * by its alignment.
 */
const neverGiven = (
  outSchema: Schema,
  eventType: Schema,
  outPaths: readonly string[],
): readonly Issue[] =>
  leftOut(eventType, outPaths)
    .filter((path) => resolvePath(outSchema, path) !== undefined)
    .map((path) => ({
      path: '/transformation/function/outPaths',
      message: `${path}: is left out, in the current schema it is required`,
    }));

/**
 * Checks that the values of a pipeline fit the schema of its event type.
 *
 * @param eventType `null`: the event type has no schema.
 * @param outPaths of a function: the part of the output schema that it returns. Absent: all of it.
 * @throws Refusal SchemaNotAligned, with a detail for each difference.
 */
export const checkAlignment = (
  outSchema: Schema | null,
  eventType: Schema | null,
  outPaths?: readonly string[],
): void => {
  const details: Issue[] =
    eventType === null && outSchema !== null
      ? [{ path: '/outSchema', message: 'the event type has no schema, so nothing can be mapped' }]
      : align(outSchema, eventType, 'CreateOnly').map(({ path, message }) => ({
          path: `/outSchema${path}`,
          message,
        }));
  if (outSchema !== null && eventType !== null && outPaths !== undefined)
    details.push(...neverGiven(outSchema, eventType, outPaths));
  if (details.length > 0) throw new Refusal('SchemaNotAligned', { details });
};
