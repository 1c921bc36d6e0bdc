import { Refusal } from '@penstock/contracts';
import { align, type Issue, type Schema } from '@penstock/schema';

/**
 * Whether what the pipeline gives is what its event type takes.
 *
 * @param eventType `null`: the event type takes no values.
 * @throws Refusal SchemaNotAligned, with a detail for each difference.
 */
export const checkAlignment = (outSchema: Schema | null, eventType: Schema | null): void => {
  const details: Issue[] =
    eventType === null && outSchema !== null
      ? [{ path: '/outSchema', message: 'the event type has no schema, so nothing can be mapped' }]
      : align(outSchema, eventType, 'CreateOnly').map(({ path, message }) => ({
          path: `/outSchema${path}`,
          message,
        }));
  if (details.length > 0) throw new Refusal('SchemaNotAligned', { details });
};
