import { escapeLiteral } from 'pg';

const lockOf = (schema: string): string =>
  `hashtextextended(${escapeLiteral(`penstock resolution ${schema}`)}, 0)`;

/**
 * A statement by which a transaction that writes identities or events is wholly before or after each batch of a resolution:
 * what is changed is marked when the batch takes the marks, or after it. Such transactions do not wait for each other.
 */
export const besideResolution = (schema: string): string =>
  `SELECT pg_advisory_xact_lock_shared(${lockOf(schema)})`;

/** A statement after which nobody writes identities or events until the transaction ends. */
export const aloneResolving = (schema: string): string =>
  `SELECT pg_advisory_xact_lock(${lockOf(schema)})`;
