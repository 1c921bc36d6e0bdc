import type { Property } from '@penstock/schema';

/** What the output record is for: nothing in particular, a record to be created, or one to be updated. */
export type Purpose = 'None' | 'Create' | 'Update';

/** Whether a property must be given for the purpose. */
export const isRequired = (
  { createRequired, updateRequired }: Property,
  purpose: Purpose,
): boolean => (purpose === 'Create' && createRequired) || (purpose === 'Update' && updateRequired);
