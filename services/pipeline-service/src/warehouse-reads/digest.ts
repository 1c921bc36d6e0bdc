import { createHash } from 'node:crypto';

/** Stands for a query, in few characters. */
export const digestOf = (query: readonly unknown[]): string =>
  createHash('sha256').update(JSON.stringify(query)).digest('base64url');
