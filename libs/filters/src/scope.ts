import type { Schema } from '@penstock/schema';
import type { FilterContext } from './filter';

/** Records an issue. @param path a pointer from the place that is being read. */
export type Report = (path: string, message: string) => void;

/** What a filter is read against, and where its issues go. */
export interface Scope {
  readonly schema: Schema;
  readonly context: FilterContext;
  readonly report: Report;
}
