import type { Queries, WantedProperties } from '@penstock/contracts';
import { type Filter, parseFilter, printFilter } from '@penstock/filters';
import { parseJson, printType, resolvePath, type Schema } from '@penstock/schema';
import type { ProfileOrder } from '@penstock/warehouses';
import { Findings } from '../pipelines/findings';
import { checkOrder } from './check-order';
import { digestOf } from './digest';
import { partOf } from './wanted-properties';

type Input = Queries['ListProfiles']['in'];

/** What a list of profiles is asked for, by the schema of the workspace. */
export interface ProfilesQuery {
  readonly properties: Schema;
  readonly filter: Filter | null;
  readonly order: ProfileOrder;
}

/** The order by the time of the update begins with the newest ones, any other one with the smallest values. */
const orderOf = ({ order: path, orderDesc }: Input, schema: Schema): ProfileOrder => {
  if (path === null) return { path, isDescending: orderDesc ?? true };
  checkOrder(path, schema);
  return { path, isDescending: orderDesc ?? false };
};

/** @throws Refusal BadRequest for a property that there is not. */
export const propertiesOf = (schema: Schema, wanted: WantedProperties): Schema => {
  const findings = new Findings();
  const properties = findings.of('properties', () => partOf(schema, wanted));
  findings.refuse();
  return properties ?? schema;
};

/** @throws Refusal BadRequest with everything that is wrong with properties and filter; OrderNotExist, OrderTypeNotSortable. */
export const profilesQuery = (input: Input, schema: Schema): ProfilesQuery => {
  const findings = new Findings();
  const properties = findings.of('properties', () => partOf(schema, input.properties));
  const { filter: text } = input;
  const filter =
    text === null
      ? null
      : findings.of('filter', () => parseFilter(parseJson(text), schema, 'DestinationUser'));
  findings.refuse();
  return {
    properties: properties ?? schema,
    filter: filter ?? null,
    order: orderOf(input, schema),
  };
};

/** Names a list, so that its cursors are of no use for another one. */
export const listNameOf = (
  { properties }: Pick<Input, 'properties'>,
  { filter, order }: ProfilesQuery,
  schema: Schema,
): string => {
  const type = order.path === null ? undefined : resolvePath(schema, order.path)?.type;
  const query = [
    properties,
    filter && printFilter(filter),
    order.path,
    order.isDescending,
    // A property may have become another one under the same name.
    type && printType(type),
  ];
  return `profiles/${digestOf(query)}`;
};
