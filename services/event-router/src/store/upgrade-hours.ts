/**
 * Hours for which routers of the version before are expected to run, once the first of this version has changed the tables.
 * They cannot start any more then.
 */
export const UPGRADE_HOURS = 24;
