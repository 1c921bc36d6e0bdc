/**
 * SQL of the advisory lock of each warehouse of a database, known by its schema; who makes, repairs or brings it up holds
 * it. The schema's name is `$1`.
 */
export const LOCK = `hashtextextended('penstock warehouse ' || $1, 0)`;

/** SQL of the advisory lock of the repair of a warehouse: a second repair waits for the first. The schema's name is `$1`. */
export const REPAIR_LOCK = `hashtextextended('penstock repair ' || $1, 0)`;

/** SQL of the advisory lock that every read of a warehouse shares. The schema's name is `$1`. */
export const READS_LOCK = `hashtextextended('penstock reads ' || $1, 0)`;
