import { qualified } from '../sql/names';

/** SQL of the oldest recorded facts. */
export const selectFacts = (schema: string, limit: number): string => `
  SELECT id::text AS number, (extract(epoch FROM at) * 1000)::float8 AS "atMs", fact
  FROM ${qualified(schema, '_outbox')} ORDER BY id LIMIT ${limit}`;
