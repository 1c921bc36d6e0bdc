import { escapeLiteral } from 'pg';

const lockOf = (schema: string): string =>
  `hashtextextended(${escapeLiteral(`penstock resolution ${schema}`)}, 0)`;

/**
 * A statement by which a transaction that writes identities or events is wholly before or after each batch of a resolution:
 * what is changed is marked when the batch takes the marks, or after it. Such transactions do not wait for each other.
 */
export const besideResolution = (schema: string): string =>
  `SELECT pg_advisory_xact_lock_shared(${lockOf(schema)})`;

/** How long writers are waited for, in which others wait behind: one that is stuck holds them up for so long at a time. */
const ALONE_MS = 2_000;

/** Statements after which nobody writes identities or events until the transaction ends. They fail where somebody is stuck. */
export const aloneResolving = (schema: string): string =>
  [
    `SET LOCAL lock_timeout = ${String(ALONE_MS)}`,
    `SELECT pg_advisory_xact_lock(${lockOf(schema)})`,
    'SET LOCAL lock_timeout TO DEFAULT',
  ].join(';\n');
