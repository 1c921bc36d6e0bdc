/**
 * When an audience was written. Those that are there count as written now, since routers of the version before remember what
 * they have written, and refer to it without writing it again.
 */
export const AUDIENCE_TIMES = `
ALTER TABLE penstock_router.audiences ADD COLUMN written timestamptz NOT NULL DEFAULT now();
`;
