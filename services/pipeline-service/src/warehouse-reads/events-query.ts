import { EVENT_SCHEMA, type Page, type Queries } from '@penstock/contracts';
import { parseFilter, printFilter } from '@penstock/filters';
import { parseJson } from '@penstock/schema';
import type { EventsWanted } from '@penstock/warehouses';
import { Findings } from '../pipelines/findings';
import { checkOrder } from './check-order';
import { partOf } from './wanted-properties';

type Input = Omit<Queries['ListEvents']['in'], keyof Page>;

/** What a list of events is asked for. */
export interface EventsQuery {
  readonly query: Omit<EventsWanted, 'limit' | 'after'>;
  /** The same as it was given, by which cursors are told apart. */
  readonly told: readonly unknown[];
}

/** @throws Refusal BadRequest with everything that is wrong with properties and filter; OrderNotExist, OrderTypeNotSortable. */
export const eventsQuery = ({
  properties: wanted,
  filter: text,
  order: path,
  ascending,
  from,
  to,
}: Input): EventsQuery => {
  const findings = new Findings();
  const properties = findings.of('properties', () => partOf(EVENT_SCHEMA, wanted));
  const read =
    text === null
      ? null
      : findings.of('filter', () => parseFilter(parseJson(text), EVENT_SCHEMA, 'SourceEvent'));
  findings.refuse();
  checkOrder(path, EVENT_SCHEMA);
  const filter = read ?? null;
  return {
    query: {
      ...{ properties: properties ?? EVENT_SCHEMA, filter, from, to },
      order: { path, isDescending: !ascending },
    },
    told: [wanted, filter && printFilter(filter), path, ascending, from, to],
  };
};
