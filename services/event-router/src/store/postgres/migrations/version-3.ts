/**
 * Order keys that stand in the log are owed deliveries, which are counted from here on. There is no default, so that
 * routers of version 2, which do not count them, cannot move a cursor any more: their commits fail.
 */
export const VERSION_3 = `
ALTER TABLE penstock_router.cursors ADD COLUMN owed jsonb NOT NULL DEFAULT '{}';
ALTER TABLE penstock_router.cursors ALTER COLUMN owed DROP DEFAULT;
`;
