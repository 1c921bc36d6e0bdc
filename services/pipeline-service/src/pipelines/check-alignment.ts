import { Refusal } from '@penstock/contracts';
import { align, type Issue, resolvePath, type Schema } from '@penstock/schema';

/** Required properties of the event type that lie on none of the paths, in objects that are given at all. */
const leftOut = ({ properties }: Schema, paths: readonly string[], prefix = ''): string[] =>
  properties.flatMap(({ name, type, createRequired }) => {
    const path = `${prefix}${name}`;
    if (paths.includes(path)) return [];
    const isPartly = paths.some((given) => given.startsWith(`${path}.`));
    if (isPartly && type.kind === 'object') return leftOut(type, paths, `${path}.`);
    return createRequired ? [path] : [];
  });

/** What the output schema has, but the function never gives; what the schema lacks is told by its alignment. */
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
 * Whether what the pipeline gives is what its event type takes.
 *
 * @param eventType `null`: the event type takes no values.
 * @param outPaths of a function: the part of the output schema that it gives. Absent: all of it.
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
