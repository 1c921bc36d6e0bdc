/**
 * SQL of the advisory lock of each warehouse of a database, known by its schema; who makes, repairs or brings it up holds
 * it. The schema's name is `$1`.
 */
export const LOCK = `hashtextextended('penstock warehouse ' || $1, 0)`;
