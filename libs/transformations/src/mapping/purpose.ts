import type { Property } from '@penstock/schema';

/** Purpose of the output record: none, creating a record, or updating one. */
export type Purpose = 'None' | 'Create' | 'Update';

/** Whether a property is required for the purpose. */
export const isRequired = (
  { createRequired, updateRequired }: Property,
  purpose: Purpose,
): boolean => (purpose === 'Create' && createRequired) || (purpose === 'Update' && updateRequired);
