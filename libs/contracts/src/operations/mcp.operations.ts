import type { JsonString } from '../pipeline.facts';
import { always, type Nothing, query } from './operation';
import { READ_OF_WAREHOUSE } from './warehouse-reads.operations';

/** A column, with its type as the platform of the warehouse names it. */
interface WarehouseColumn {
  readonly name: string;
  readonly type: string;
}

/** A table or view of a warehouse. */
export interface WarehouseTable {
  readonly name: string;
  readonly columns: readonly WarehouseColumn[];
}

/** What a statement has given. */
export interface StatementAnswer {
  readonly columns: readonly WarehouseColumn[];
  /** Each a JSON array of the values in the order of the columns. */
  readonly rows: readonly JsonString[];
  /** Whether others follow, for which the answer has no room. */
  readonly isCut: boolean;
}

/** Reads from the warehouse of the request's workspace with the settings of its MCP server. */
export const MCP_OPERATIONS = {
  DescribeWarehouse: query<
    Nothing,
    { readonly tables: readonly WarehouseTable[]; readonly isCut: boolean }
  >({
    refusals: ['NotReadOnlyMCPSettings', ...READ_OF_WAREHOUSE],
    scope: 'mcp',
    isSlow: always,
    carriesRecords: true,
  }),
  QueryWarehouse: query<{ readonly statement: string }, StatementAnswer>({
    refusals: ['InvalidQuery', 'NotReadOnlyMCPSettings', ...READ_OF_WAREHOUSE],
    scope: 'mcp',
    isSlow: always,
    carriesRecords: true,
  }),
};
