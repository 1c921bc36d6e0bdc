import { escapeLiteral } from 'pg';
import { qualified } from '../sql/names';

/** Rows of a page. */
const ROWS = 10_000;
/** A fact may name very many profiles. */
const FACTS = 100;

/** The place of a row: its columns of the key as texts, in their order. */
export type Place = readonly string[];

/** What is read page by page. */
export interface PagedTable {
  readonly table: string;
  /** SQL of what is read, besides the place. */
  readonly shown: readonly string[];
  /** Columns of the key with their types. */
  readonly key: readonly (readonly [column: string, type: string])[];
  /** SQL of a condition. */
  readonly where?: string;
  readonly rows?: number;
}

export const RESOLVED = {
  facts: {
    table: '_outbox',
    shown: ['(extract(epoch FROM at) * 1000)::float8 AS at_ms', 'fact'],
    key: [['id', 'bigint']],
    rows: FACTS,
  },
  identities: {
    table: '_identities',
    shown: ['_profile_id::text AS profile'],
    key: [['_id', 'bigint']],
  },
  profiles: {
    table: '_profiles',
    shown: ['_identities::float8 AS identities'],
    key: [['_profile_id', 'uuid']],
  },
  aliases: {
    table: '_profile_aliases',
    shown: ['profile_id::text AS profile'],
    key: [['alias', 'uuid']],
  },
  history: {
    table: '_profile_history',
    shown: [],
    key: [
      ['profile_id', 'uuid'],
      ['at', 'timestamptz'],
      ['id', 'bigint'],
    ],
  },
  unresolved: {
    table: '_dirty',
    shown: ['profile_id::text AS profile'],
    key: [['identity', 'bigint']],
    where: 'profile_id IS NOT NULL',
  },
} as const satisfies Record<string, PagedTable>;

/** How many rows a page has that is not the last one. */
export const rowsOf = ({ rows = ROWS }: PagedTable): number => rows;

/** SQL of a page in the order of the key. @param after the place of the last row before; undefined: the first page */
export const selectPage = (schema: string, paged: PagedTable, after: Place | undefined): string => {
  const columns = paged.key.map(([column]) => column);
  const places = columns.map((column, nth) => `${column}::text AS place_${String(nth)}`);
  const last = paged.key.map(([, type], nth) => `${escapeLiteral(after?.[nth] ?? '')}::${type}`);
  const conditions = [
    ...('where' in paged ? [paged.where] : []),
    ...(after === undefined ? [] : [`(${columns.join(', ')}) > (${last.join(', ')})`]),
  ];
  return `
    SELECT ${[...places, ...paged.shown].join(', ')} FROM ${qualified(schema, paged.table)}
    ${conditions.length === 0 ? '' : `WHERE ${conditions.join(' AND ')}`}
    ORDER BY ${columns.join(', ')} LIMIT ${String(rowsOf(paged))}`;
};

/** SQL of when the warehouse was made, and of the number of the newest fact. */
export const selectResolvedHead = (schema: string): string => `
  SELECT (extract(epoch FROM created_at) * 1000)::float8 AS made,
         greatest((SELECT max(id) FROM ${qualified(schema, '_outbox')}),
                  (SELECT max(id) FROM ${qualified(schema, '_profile_history')}))::float8 AS newest
  FROM ${qualified(schema, '_meta')}`;
