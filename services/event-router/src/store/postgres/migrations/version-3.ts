/**
 * Counts the deliveries that are left to detached keys. The column has no default, so that routers of version 2, which
 * do not count them, cannot write a cursor any more: their commits fail.
 */
export const VERSION_3 = `
ALTER TABLE penstock_router.cursors ADD COLUMN owed jsonb NOT NULL DEFAULT '{}';
ALTER TABLE penstock_router.cursors ALTER COLUMN owed DROP DEFAULT;
`;
