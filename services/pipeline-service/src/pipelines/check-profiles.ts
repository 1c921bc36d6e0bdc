import { Refusal } from '@penstock/contracts';
import { align, type Schema } from '@penstock/schema';

/** What a refusal calls the schema of a pipeline. */
const NAMES = { inSchema: 'input schema', outSchema: 'output schema' } as const;

/**
 * Checks that what a pipeline reads or gives of profiles is a part of their schema.
 *
 * @throws Refusal SchemaNotAligned, with a detail for each difference.
 */
export const checkProfiles = (
  member: keyof typeof NAMES,
  schema: Schema,
  profiles: Schema,
): void => {
  const differences = align(schema, profiles, null);
  if (differences.length === 0) return;
  throw new Refusal('SchemaNotAligned', {
    message: `${NAMES[member]} is not aligned with the profile schema`,
    details: differences.map(({ path, message }) => ({ path: `/${member}${path}`, message })),
  });
};
